/** A piece of text, or a run of otherwise invisible characters. */
export type TextPart = string | ControlRun;

export interface ControlRun {
  /** `U+202E`, or `U+200B ×1000` for several. */
  readonly label: string;
}

/**
 * `code`: every character that is invisible or changes the order of others, because programs that look the same must be
 * the same. `prose`: only those that no legitimate text has; joiners and direction marks belong to many scripts.
 */
export type Strictness = 'code' | 'prose';

/** Marks are elements: beyond this number in a text, a replacement character is shown for each run. */
const MAX_MARKS = 500;

const PATTERNS: Readonly<Record<Strictness, RegExp>> = {
  // eslint-disable-next-line no-control-regex -- These characters are the search target.
  code: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u,
  // eslint-disable-next-line no-control-regex -- These characters are the search target.
  prose: /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
};

/** Splits a text into visible and invisible parts; in nearly every case there is one part, the text itself. */
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

/** The flags of England, Scotland and Wales consist of a black flag and tag characters. */
function isFlag(before: string, code: number): boolean {
  return code >= 0xe0000 && /\u{1F3F4}[\u{e0000}-\u{e007f}]{0,8}$/u.test(before.slice(-20));
}

function labelOf(code: number, run: string): string {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const times = run.length / (code > 0xffff ? 2 : 1);
  return times === 1 ? name : `${name} ×${times}`;
}

/** Beyond this number of colour changes, colours are omitted, because each one would be an element. */
const MAX_COLOUR_CHANGES = 2000;

// CSI, then OSC, DCS, PM, APC and SOS with their text up to BEL or ST, then the other escapes of two or three bytes.
// An unterminated OSC ends with its line.
export const ESCAPES =
  // eslint-disable-next-line no-control-regex -- These characters are the search target.
  /\u001b\[[0-?]*[ -/]*[@-~]?|\u009b[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

// eslint-disable-next-line no-control-regex -- These characters are the search target.
const SGR = /^(?:\u001b\[|\u009b)([\d;:]{0,64})m$/;

/**
 * Reduces terminal output to its text and its colours: SGR as `ESC [ … m`. Cursor moves, titles, links and other terminal
 * commands are removed. A line that was overwritten after a carriage return keeps its final content.
 */
export function stripControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- These characters are the search target.
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

/** A carriage return goes back to the beginning of its line; text that follows it replaces the line. */
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
