import { once } from 'node:events';
import type { OutputStream } from './cliEnvironment';

/**
 * Writes to a stream at the pace of its reader. When the reader goes away (`… | head`) `signal` aborts, and what is
 * written afterwards vanishes without a word.
 */
export class Output {
  readonly #closed = new AbortController();

  constructor(private readonly stream: OutputStream) {
    stream.on('error', () => {
      this.#closed.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  async write(text: string): Promise<void> {
    if (this.signal.aborted || this.stream.destroyed === true) return;
    if (this.stream.write(text)) return;
    try {
      await once(this.stream, 'drain', { signal: this.signal });
    } catch {
      // The reader went away while we waited; `signal` says so to whoever goes on working.
    }
  }

  /**
   * `{…head,"<key>":[…],…tail}`, one item a line, so that a long list streams and can be searched with line tools.
   */
  async writeJsonDocument(
    key: string,
    items: AsyncIterable<object>,
    tail: () => object,
    head: object = {},
  ): Promise<void> {
    const before = JSON.stringify(head).slice(1, -1);
    let separator = `{${before === '' ? '' : `${before},`}${JSON.stringify(key)}:[\n`;
    for await (const item of items) {
      await this.write(separator + JSON.stringify(item));
      separator = ',\n';
    }
    const rest = JSON.stringify(tail()).slice(1, -1);
    const opening = separator.startsWith('{') ? separator : '\n';
    await this.write(`${opening}]${rest === '' ? '' : `,${rest}`}}\n`);
  }
}
