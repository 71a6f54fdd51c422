import type { Random } from './random';

/** Repetitions beyond the minimum if an expression sets no limit. */
const UNLIMITED = 20;

/**
 * Draws a text that a regular expression matches. Supports what expressions of secrets consist of: characters, classes,
 * `\d` and `\w`, groups, alternatives and repetition.
 */
export function sampleExpression(source: string, random: Random): string {
  const sampler = new Sampler(source, random);
  const text = sampler.alternatives();
  if (sampler.at !== source.length) throw new Error(`Failed to read the expression at ${sampler.at}: ${source}`);
  return text;
}

const DIGITS = range('0', '9');
const WORD = [...range('a', 'z'), ...range('A', 'Z'), ...DIGITS, '_'];

class Sampler {
  at = 0;

  constructor(
    private readonly source: string,
    private readonly random: Random,
  ) {}

  /** Reads up to the end of the group, and draws one of its alternatives. */
  alternatives(): string {
    const drawn = [this.#sequence()];
    while (this.source[this.at] === '|') {
      this.at++;
      drawn.push(this.#sequence());
    }
    return drawn[this.random.below(drawn.length)] ?? '';
  }

  #sequence(): string {
    let text = '';
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      const start = this.at;
      const first = this.#atom();
      const after = this.at;
      const count = this.#count();
      const end = this.at;
      if (count > 0) text += first;
      for (let done = 1; done < count; done++) {
        this.at = start;
        text += this.#atom();
      }
      // A count of zero or one leaves the position where it was.
      this.at = Math.max(end, after);
    }
    return text;
  }

  #atom(): string {
    const each = this.source[this.at++] ?? '';
    if (each === '(') {
      if (this.source.startsWith('?:', this.at)) this.at += 2;
      const text = this.alternatives();
      this.#expect(')');
      return text;
    }
    if (each === '[') return this.#pick(this.#members());
    if (each === '\\') return this.#pick(this.#escaped());
    if ('.*+?{}^$'.includes(each)) throw new Error(`Failed to read "${each}" of the expression ${this.source}`);
    return each;
  }

  #members(): string[] {
    const members: string[] = [];
    if (this.source[this.at] === '^') throw new Error(`Failed to read a class of ${this.source}`);
    for (;;) {
      const each = this.source[this.at++];
      if (each === undefined) throw new Error(`Failed to read a class of ${this.source}`);
      if (each === ']') return members;
      const isRange = this.source[this.at] === '-' && this.source[this.at + 1] !== ']';
      if (each === '\\') members.push(...this.#escaped());
      else if (isRange) {
        members.push(...range(each, this.source[this.at + 1] ?? each));
        this.at += 2;
      } else members.push(each);
    }
  }

  #escaped(): readonly string[] {
    const each = this.source[this.at++] ?? '';
    if (each === 'd') return DIGITS;
    if (each === 'w') return WORD;
    return [each === 'n' ? '\n' : each];
  }

  /** Draws how often the atom before this position is repeated. */
  #count(): number {
    const [all, limits] = /^(?:\{([\d,]+)\}|[?*+])/.exec(this.source.slice(this.at)) ?? [''];
    this.at += all.length;
    if (all === '') return 1;
    if (all === '?') return this.random.below(2);
    if (limits === undefined) return (all === '+' ? 1 : 0) + this.random.below(UNLIMITED);
    const [min = '0', max] = limits.split(',');
    const most = max === undefined ? Number(min) : max === '' ? Number(min) + UNLIMITED : Number(max);
    return Number(min) + this.random.below(most - Number(min) + 1);
  }

  #expect(character: string): void {
    if (this.source[this.at++] !== character) throw new Error(`Failed to find "${character}" in ${this.source}`);
  }

  #pick(from: readonly string[]): string {
    return from[this.random.below(from.length)] ?? '';
  }
}

function range(first: string, last: string): string[] {
  const from = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, at) => String.fromCharCode(from + at));
}
