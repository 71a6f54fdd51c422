import { nearestColour } from './nearestColour';

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** Classes by the code that sets them. */
const SET: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'reverse',
  9: 'strikethrough',
};
/** What a code ends. */
const ENDED: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['reverse'],
  29: ['strikethrough'],
};

/** How a terminal writes on: its colours and weight, as SGR (ECMA-48, 8.3.117) and xterm's colours set them. */
export class Pen {
  readonly #decorations = new Set<string>();
  #foreground: number | null = null;
  #background: number | null = null;

  get className(): string {
    const colours = [this.#foreground, this.#background];
    const [text = null, ground = null] = this.#decorations.has('reverse') ? colours.reverse() : colours;
    return [colourClass('fg', text), colourClass('bg', ground), ...this.#decorations]
      .filter((name) => name !== '')
      .map((name) => `ansi-${name}`)
      .join(' ');
  }

  /** @param parameters  figures between semicolons; nothing is 0 */
  take(parameters: string): void {
    const codes = parameters.split(';').map(Number);
    for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
      if (code === 0) this.#reset();
      else if (code === 38) this.#foreground = extendedColour(codes);
      else if (code === 48) this.#background = extendedColour(codes);
      else if (!this.#decorate(code)) this.#colour(code);
    }
  }

  #reset(): void {
    this.#decorations.clear();
    this.#foreground = this.#background = null;
  }

  #decorate(code: number): boolean {
    const [set, ended] = [SET[code], ENDED[code]];
    if (set !== undefined) this.#decorations.add(set);
    ended?.forEach((name) => this.#decorations.delete(name));
    return set !== undefined || ended !== undefined;
  }

  /** 30 to 37, bright from 90 on; the background's are 10 more. 39 and 49 are the terminal's own. */
  #colour(code: number): void {
    const ground = Math.floor(code / 10);
    const number = code % 10;
    const colour = number > 7 ? null : number + (ground > 4 ? 8 : 0);
    if (ground === 3 || (ground === 9 && colour !== null)) this.#foreground = colour;
    if (ground === 4 || (ground === 10 && colour !== null)) this.#background = colour;
  }
}

function colourClass(ground: 'fg' | 'bg', number: number | null): string {
  return number === null ? '' : `${ground}-${number >= 8 ? 'bright-' : ''}${NAMES[number % 8] ?? 'white'}`;
}

/** Takes what belongs to it from the codes that follow: `5;n` of 256 colours, or `2;r;g;b`. */
function extendedColour(codes: number[]): number | null {
  const kind = codes.shift();
  if (kind === 2) return nearestColour(codes.splice(0, 3));
  if (kind !== 5) return null;
  const number = codes.shift() ?? 256;
  if (number > 255) return null;
  return number < 16 ? number : nearestColour(paletteColour(number));
}

/** The 256 colours: a cube of six steps from 16 on, greys from 232 on. */
function paletteColour(number: number): number[] {
  if (number >= 232) return Array<number>(3).fill(8 + (number - 232) * 10);
  const steps = [0, 95, 135, 175, 215, 255];
  const at = number - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step] ?? 0);
}
