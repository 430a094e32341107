/**
 * Waits for work, but not for longer than a time; the work itself is not ended.
 * @throws what it throws, or an error with the message when the time is over
 */
export async function withinTime<T>(
  limitMs: number,
  work: () => T | Promise<T>,
  message: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), limitMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
