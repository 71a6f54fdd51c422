/** What would let a transcript write to the terminal; tabs are made spaces before. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu;
const TAB = '    ';

/**
 * Text of a transcript as lines for a terminal: safe, its own lines and the spaces at their start kept, longer ones broken at
 * spaces. `width`: characters in a line, its indent included.
 */
export function textLines(text: string, width: number, indent: string): string[] {
  return text
    .replace(/\r\n?/gu, '\n')
    .trimEnd()
    .split('\n')
    .flatMap((line) => breakLine(line.replaceAll('\t', TAB).replace(UNPRINTABLE, ' ').trimEnd(), width, indent));
}

function breakLine(line: string, width: number, indent: string): string[] {
  const room = width - indent.length;
  if (line.length <= room) return [line === '' ? '' : indent + line];
  const own = /^ */u.exec(line)?.[0] ?? '';
  const hanging = own.length < room / 2 ? own : '';
  const lines: string[] = [];
  let current = '';
  for (const word of line.trim().split(' ')) {
    const start = current === '' ? hanging : `${current} `;
    if (current !== '' && start.length + word.length > room) {
      lines.push(indent + current);
      current = hanging + word;
    } else current = start + word;
  }
  return [...lines, indent + current];
}
