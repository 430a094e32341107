/** Items from several sources for one reader, in the order in which they were pushed. */
export class ItemQueue<Item> implements AsyncIterable<Item> {
  readonly #waiting: Item[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(item: Item): void {
    if (this.#end !== undefined) return;
    this.#waiting.push(item);
    this.#wake?.();
  }

  /** No more items; those that wait are read first. */
  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** As `end`; then the reader gets the error. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const item = this.#waiting.shift();
      if (item !== undefined) {
        yield item;
      } else if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
