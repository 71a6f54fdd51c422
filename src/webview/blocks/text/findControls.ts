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
