import { bash, everywhere, type HostileRow } from './hostileRow';

const ESC = '\u001b';
const output = (name: string, make: () => string): HostileRow => ({ name, blocks: () => [bash(make())] });

/** Terminal control sequences, and invisible characters. */
export const hostileTerminal: readonly HostileRow[] = [
  output('100,000 changes of colour', () => `${ESC}[31ma${ESC}[42mb`.repeat(50_000)),
  output('decorations that are never reset', () => `${ESC}[1m${ESC}[3m${ESC}[4m`.repeat(20_000) + 'text'),
  output('a colour with a million parameters', () => `${ESC}[${'1;'.repeat(500_000)}mtext`),
  output('colours that do not exist', () => `${ESC}[38;5;999mx${ESC}[38;2;999;-1;xmy${ESC}[99999999999mz${ESC}[;;;;mw`),
  output('text that hides itself', () => `${ESC}[8mhidden${ESC}[30;40mblack on black${ESC}[0m`),
  output('text that blinks', () => `${ESC}[5mblink${ESC}[6mfast${ESC}[0m`),
  output('an escape that never ends', () => `${ESC}]0;${'x'.repeat(1_000_000)}`),
  output('a million escapes', () => ESC.repeat(1_000_000)),
  output('a million CSI beginnings', () => `${ESC}[`.repeat(500_000)),
  output('a link of a terminal', () => `${ESC}]8;;javascript:pwned()${ESC}\\click${ESC}]8;;\u0007`),
  output('a link of a terminal to a command', () => `${ESC}]8;;command:evil\u0007click${ESC}]8;;\u0007`),
  output(
    'a title, a clipboard and a colour of a terminal',
    () =>
      `${ESC}]0;pwned\u0007${ESC}]52;c;cHduZWQ=\u0007${ESC}]4;1;rgb:ff/ff/ff${ESC}\\${ESC}]1337;File=x:AAAA\u0007done`,
  ),
  output(
    'a device control string',
    () => `${ESC}P$q"p${ESC}\\${ESC}^private${ESC}\\${ESC}_app${ESC}\\${ESC}Xsos${ESC}\\done`,
  ),
  output('cursor moves over the screen', () =>
    `${ESC}[2J${ESC}[H${ESC}[999;999H${ESC}[1000Adone${ESC}[s${ESC}[u`.repeat(1000),
  ),
  output('another screen', () => `${ESC}[?1049h${ESC}[?25l${ESC}c${ESC}[!pdone`),
  output('C1 controls', () => '\u009b31mred\u009d0;title\u0007\u0090q\u009c done'),
  output('a progress bar of 100,000 steps', () => Array.from({ length: 100_000 }, (_, at) => `${at}%`).join('\r')),
  output('backspaces', () => 'a\b'.repeat(100_000)),
  output('a bell and NULs', () => '\u0007\u0000'.repeat(100_000)),
  output('SGR that holds markup', () => `${ESC}[31m<img src=x onerror=pwned()>${ESC}["><script>pwned()</script>m`),
  { name: 'an override of direction', blocks: () => everywhere('safe \u202egnp.exe\u202c.txt') },
  { name: 'isolates that never close', blocks: () => everywhere('\u2067\u2066\u2068'.repeat(500) + 'text') },
  { name: 'overrides a thousand deep', blocks: () => everywhere('\u202e\u202d'.repeat(500) + 'text') },
  { name: 'a flood of zero width', blocks: () => everywhere('a' + '\u200b'.repeat(200_000) + 'b') },
  { name: 'a flood of joiners', blocks: () => everywhere('a' + '\u200d'.repeat(200_000) + 'b') },
  { name: 'zero width in turns with letters', blocks: () => everywhere('\u200ba\u2060b\ufeffc'.repeat(20_000)) },
  {
    name: 'hidden words of tag characters',
    blocks: () => everywhere('hi \u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}'),
  },
  {
    name: 'controls of all kinds',
    blocks: () => everywhere(Array.from({ length: 160 }, (_, at) => String.fromCharCode(at)).join('')),
  },
  { name: 'separators of lines and paragraphs', blocks: () => everywhere('a\u2028b\u2029c\u0085d\u000be\u000cf') },
  { name: 'wide and very tall glyphs', blocks: () => everywhere('﷽'.repeat(300) + '𒐫'.repeat(100) + 'ཽ'.repeat(100)) },
];
