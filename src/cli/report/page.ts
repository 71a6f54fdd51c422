import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import pc from 'picocolors';
import type { CliEnvironment } from '../environment';

export type Colors = ReturnType<typeof pc.createColors>;

/** Layout of a report for its output. */
export interface Page {
  readonly colors: Colors;
  /** Characters per line. */
  readonly width: number;
  readonly home: string;
  readonly nowMs: number;
  readonly commandName: string;
}

const WIDTH_WITHOUT_TERMINAL = 120;
/** Width of the narrowest table; narrower terminals wrap the lines themselves. */
const MIN_WIDTH = 52;

/** Colours are used only on a terminal that supports them; see https://no-color.org. */
export function createPage(environment: CliEnvironment): Page {
  const { stdout, env } = environment;
  const isTerminal = stdout.isTTY === true;
  const hasColor = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const columns = (isTerminal ? stdout.columns : undefined) ?? Number(env['COLUMNS']);
  return {
    colors: pc.createColors(hasColor),
    width: columns > 0 ? Math.max(columns, MIN_WIDTH) : WIDTH_WITHOUT_TERMINAL,
    home: environment.home,
    nowMs: environment.now(),
    commandName: environment.commandName,
  };
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = '  ';
const MIN_FLEXIBLE_WIDTH = 8;
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };

/** cli-table3 takes quadratic time, so a long table is rendered in parts. */
const ROWS_AT_ONCE = 32;

/**
 * Renders columns of text without borders; text that is too wide for its column ends in "…". The first line is the
 * header.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): string {
  return renderRows(columns, [columns.map((column) => column.title), ...rows], widths);
}

/** Like `renderTable`, without the header. */
export function renderRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): string {
  const lines: string[] = [];
  let waiting: (readonly string[])[] = [];
  const renderWaiting = (): void => {
    for (const chunk of chunksOf(waiting)) lines.push(renderByTable(columns, chunk, widths));
    waiting = [];
  };
  for (const row of rows) {
    const line = renderPlain(columns, row, widths);
    if (line === null) waiting.push(row);
    else {
      renderWaiting();
      lines.push(line);
    }
  }
  renderWaiting();
  return lines.join('\n');
}

function renderByTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): string {
  const table = new Table({
    colAligns: columns.map((column) => column.align ?? 'left'),
    colWidths: [...widths],
    chars: NO_BORDERS,
    style: PLAIN,
  });
  for (const row of rows) table.push([...row]);
  return table.toString().replace(/ +$/gmu, '');
}

/** ASCII, and the signs of our own reports, each of which takes one column. */
const NARROW = /^[\x20-\x7e✓✗…]*$/u;

/** A row of plain text as cli-table3 renders it, in a hundredth of the time; null if that takes more than padding. */
function renderPlain(columns: readonly Column[], row: readonly string[], widths: readonly number[]): string | null {
  let line = '';
  for (const [at, cell] of row.entries()) {
    const text = cell.includes('\u001b') ? stripVTControlCharacters(cell) : cell;
    const missing = (widths[at] ?? 0) - text.length;
    if (missing < 0 || !NARROW.test(text)) return null;
    const padding = ' '.repeat(missing);
    line += (at === 0 ? '' : GAP) + (columns[at]?.align === 'right' ? padding + cell : cell + padding);
  }
  return line.replace(/ +$/u, '');
}

/** Width of the widest text on a terminal, where a Chinese character takes two columns and a colour code none. */
export function textWidth(texts: readonly string[]): number {
  let widest = 0;
  const others = new Set<string>();
  for (const each of texts) {
    const text = each.includes('\u001b') ? stripVTControlCharacters(each) : each;
    // Such a text is as wide as it is long; only other texts need the library's tables.
    if (NARROW.test(text)) widest = Math.max(widest, text.length);
    else others.add(text);
  }
  return chunksOf([...others])
    .map(measure)
    .reduce((most, width) => Math.max(most, width), widest);
}

function measure(texts: readonly string[]): number {
  const table = new Table({ chars: { ...NO_BORDERS, middle: '' }, style: PLAIN });
  for (const text of texts) table.push([text]);
  // Every line of the table is padded to the width of its columns, so the empty last column adds that many spaces.
  table.push(['']);
  return (table.toString().split('\n').at(-1) ?? '').length;
}

function chunksOf<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / ROWS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => items.slice(at * ROWS_AT_ONCE, (at + 1) * ROWS_AT_ONCE));
}

/**
 * Widths of the columns in a line of `total` characters. Each is as wide as its text; if that is too much, the flexible
 * columns share what the others leave.
 */
export function fitWidths(natural: readonly number[], flexible: readonly number[], total: number): number[] {
  const gaps = GAP.length * (natural.length - 1);
  const rigid = natural.reduce((sum, width, at) => (flexible.includes(at) ? sum : sum + width), 0);
  let room = Math.max(total - gaps - rigid, MIN_FLEXIBLE_WIDTH * flexible.length);
  const widths = [...natural];
  // The narrowest column first: the wider ones get what it does not need.
  const byWidth = [...flexible].sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  byWidth.forEach((at, index) => {
    const share = Math.floor(room / (byWidth.length - index));
    widths[at] = Math.min(natural[at] ?? 0, share);
    room -= widths[at];
  });
  return widths;
}
