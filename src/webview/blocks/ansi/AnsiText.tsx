import Anser from 'anser';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { VisibleText } from '../parts/VisibleText';
import { stripControls } from '../text/controls';

/** Terminal output in the terminal's colours. */
export function AnsiText({ text }: { text: string }): JSX.Element {
  const spans = useMemo(() => ansiSpans(text), [text]);
  return (
    <>
      {spans.map((span, at) =>
        span.className === '' ? (
          <VisibleText key={at} text={span.text} />
        ) : (
          <span key={at} class={span.className}>
            <VisibleText text={span.text} />
          </span>
        ),
      )}
    </>
  );
}

export interface AnsiSpan {
  readonly text: string;
  /** Classes for its colours and weight; empty for plain text. */
  readonly className: string;
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const DECORATIONS = new Set(['bold', 'dim', 'italic', 'underline', 'strikethrough', 'reverse']);

/** Splits an output into text spans with classes for colours. Blinking and hiding are ignored. */
function ansiSpans(output: string): readonly AnsiSpan[] {
  const text = stripControls(output);
  if (!text.includes('\u001b[')) return text === '' ? [] : [{ text, className: '' }];
  const spans: AnsiSpan[] = [];
  for (const entry of Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true })) {
    const className = [
      colourClass('fg', entry.fg, entry.fg_truecolor),
      colourClass('bg', entry.bg, entry.bg_truecolor),
      ...new Set(entry.decorations.filter((name) => DECORATIONS.has(name)).map((name) => `ansi-${name}`)),
    ]
      .filter((name) => name !== '')
      .join(' ');
    const last = spans.at(-1);
    if (last?.className === className) spans[spans.length - 1] = { text: last.text + entry.content, className };
    else spans.push({ text: entry.content, className });
  }
  return spans;
}

/** @param colour  Anser's class: `ansi-red`, `ansi-bright-red`, `ansi-palette-202`, `ansi-truecolor`, or null. */
function colourClass(ground: 'fg' | 'bg', colour: string | null, rgb: string | null): string {
  if (!colour) return '';
  if (colour === 'ansi-truecolor') return named(ground, nearestColour(rgb ?? ''));
  const palette = /^ansi-palette-(\d+)$/.exec(colour)?.[1];
  if (palette !== undefined) return named(ground, nearestColour(paletteColour(Number(palette))));
  const bright = colour.startsWith('ansi-bright-');
  const at = NAMES.indexOf(colour.replace(/^ansi-(bright-)?/, ''));
  return at === -1 ? '' : named(ground, at + (bright ? 8 : 0));
}

function named(ground: 'fg' | 'bg', number: number): string {
  return `ansi-${ground}-${number >= 8 ? 'bright-' : ''}${NAMES[number % 8] ?? 'white'}`;
}

/** RGB of one of the 256 colours: from 16 on, a cube with six steps per axis; from 232 on, greys. */
function paletteColour(number: number): string {
  if (number >= 232)
    return Array<number>(3)
      .fill(8 + (number - 232) * 10)
      .join(',');
  const steps = [0, 95, 135, 175, 215, 255];
  const at = number - 16;
  return [steps[Math.floor(at / 36)], steps[Math.floor(at / 6) % 6], steps[at % 6]].map((step) => step ?? 0).join(',');
}

/** The 16 terminal colours as in xterm, in the order of their numbers. */
const COLOURS: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/** Number of the nearest terminal colour: themes define only these, and theirs are readable on their background. */
function nearestColour(rgb: string): number {
  const [r = 0, g = 0, b = 0] = rgb.split(',').map(Number);
  let best = 0;
  let least = Infinity;
  COLOURS.forEach((colour, number) => {
    const distance = (colour[0] - r) ** 2 + (colour[1] - g) ** 2 + (colour[2] - b) ** 2;
    if (distance < least) [best, least] = [number, distance];
  });
  return best;
}
