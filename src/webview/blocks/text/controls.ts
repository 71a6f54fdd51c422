/** A piece of text, or what stands for characters that nobody would see. */
export type TextPart = string | ControlRun;

export interface ControlRun {
  /** `U+202E`, or `U+200B ×1000` for a run. */
  readonly label: string;
}

/**
 * `code`: every character that is invisible, or changes the order of others: two programs that look the same must be
 * the same. `prose`: only those that no honest text has; joiners and marks of direction belong to many scripts.
 */
export type Strictness = 'code' | 'prose';

/** Marks are elements: past so many in a text, a replacement character stands for each run. */
const MAX_MARKS = 500;

const PATTERNS: Readonly<Record<Strictness, RegExp>> = {
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  code: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u,
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  prose: /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
};

/** Parts a text into what is seen and what is not; one part, the text itself, in nearly every case. */
export function findControls(text: string, strictness: Strictness): readonly TextPart[] {
  const pattern = PATTERNS[strictness];
  if (!pattern.test(text)) return [text];
  const parts: TextPart[] = [];
  const runs = new RegExp(`(${pattern.source})\\1*`, 'gu');
  let marks = 0;
  let plain = '';
  let from = 0;
  for (const { 0: run, index } of text.matchAll(runs)) {
    const code = run.codePointAt(0) ?? 0;
    plain += text.slice(from, index);
    from = index + run.length;
    if (isLineEnd(code, text, from) || isFlag(plain, code)) {
      plain += code === 0x0d ? '' : run;
      continue;
    }
    marks += 1;
    if (marks > MAX_MARKS) {
      plain += '\ufffd';
      continue;
    }
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push({ label: labelOf(code, run) });
  }
  plain += text.slice(from);
  if (plain !== '') parts.push(plain);
  return parts;
}

function isLineEnd(code: number, text: string, next: number): boolean {
  return code === 0x0d && (text[next] === '\n' || next === text.length);
}

/** The flags of England, Scotland and Wales are a black flag and tags. */
function isFlag(before: string, code: number): boolean {
  return code >= 0xe0000 && /\u{1F3F4}[\u{e0000}-\u{e007f}]{0,8}$/u.test(before.slice(-20));
}

function labelOf(code: number, run: string): string {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const times = run.length / (code > 0xffff ? 2 : 1);
  return times === 1 ? name : `${name} ×${times}`;
}

/** Past so many changes of colour, colours are left out: each would be an element. */
const MAX_COLOUR_CHANGES = 2000;

// CSI, then OSC, DCS, PM, APC and SOS with their text up to BEL or ST, then the other escapes of two or three bytes.
// An OSC that never ends is cut at its line.
export const ESCAPES =
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  /\u001b\[[0-?]*[ -/]*[@-~]?|\u009b[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

// eslint-disable-next-line no-control-regex -- They are what is looked for.
const SGR = /^(?:\u001b\[|\u009b)([\d;:]{0,64})m$/;

/**
 * Terminal output with nothing left but its text and its colours: SGR as `ESC [ … m`. Cursor moves, titles, links and
 * other commands to a terminal go; a line that was overwritten after a carriage return is what it was last.
 */
export function stripControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  if (!/[\u001b\u009b\r\b]/.test(text)) return text;
  let changes = 0;
  const coloured = text.replace(ESCAPES, (escape) => {
    const parameters = SGR.exec(escape)?.[1];
    if (parameters === undefined) return '';
    changes += 1;
    return changes > MAX_COLOUR_CHANGES ? '' : `\u001b[${parameters.replaceAll(':', ';')}m`;
  });
  return overwritten(coloured);
}

/** A carriage return goes back to the beginning of its line: what came before it is gone when something follows. */
function overwritten(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => {
      const last = line.replace(/\r+$/, '').lastIndexOf('\r');
      return (last === -1 ? line : line.slice(last + 1)).replace(/[\r\b]/g, '');
    })
    .join('\n');
}
