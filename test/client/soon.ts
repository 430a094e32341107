/** For `expect.poll`: a busy machine may take its time; nothing here is about speed. */
export const SOON = { timeout: 30_000, interval: 50 } as const;
