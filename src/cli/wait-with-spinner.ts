import yoctoSpinner from 'yocto-spinner';

/** A wait shorter than this shows nothing. */
const QUIET_MS = 300;

/** Waits for something, with a spinner on a terminal when it takes long. */
export async function waitWithSpinner<T>(text: string, wait: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return wait;
  const spinner = yoctoSpinner({ text, stream: process.stderr, handleSignals: false });
  const timer = setTimeout(() => spinner.start(), QUIET_MS);
  try {
    return await wait;
  } finally {
    clearTimeout(timer);
    spinner.stop();
  }
}
