import { open } from 'node:fs/promises';
import { assistant, lines, prompt, result, type RowFields } from '../support/transcriptBuilder';

/** The sizes of outputs, one after the other: of a command, of a file before an edit, and of an image. */
const OUTPUT_BYTES = [60_000, 400_000, 9_000_000];
const LINE = 'the quick brown fox, "quoted" as in a log line\n';

export interface OutputsTranscript {
  readonly bytes: number;
  readonly outputs: number;
}

/** Writes a session nearly all of whose bytes are long outputs in the details of results. No two of them are the same. */
export async function writeOutputsTranscript(filePath: string, bytes: number): Promise<OutputsTranscript> {
  const file = await open(filePath, 'wx');
  let [written, turn] = [0, 0];
  try {
    for (let last: string | null = null; written < bytes; turn++) {
      const [asked, called, answered, said] = [`p${turn}`, `c${turn}`, `o${turn}`, `r${turn}`];
      const use = [{ type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: { command: 'make' } }];
      const rows = [
        prompt(asked, last),
        assistant(called, asked, use),
        result(answered, called, `toolu_${turn}`, { toolUseResult: outputOf(turn) }),
        assistant(said, answered, [{ type: 'text', text: `Turn ${turn} is done.` }]),
      ];
      const text = lines(
        rows.map((row) => ({ ...row, timestamp: new Date(Date.UTC(2026, 5, 1, turn)).toISOString() })),
      );
      written += (await file.write(`${text.join('\n')}\n`)).bytesWritten;
      last = said;
    }
    // Nobody knows of an old client whether it runs, so a file that was just written would count as one in use.
    const hourAgo = new Date(Date.now() - 3_600_000);
    await file.utimes(hourAgo, hourAgo);
  } finally {
    await file.close();
  }
  return { bytes: written, outputs: turn };
}

function outputOf(turn: number): RowFields {
  const size = OUTPUT_BYTES[turn % OUTPUT_BYTES.length] ?? 0;
  const text = `${turn} ${LINE.repeat(size / LINE.length)}`;
  switch (turn % OUTPUT_BYTES.length) {
    case 0:
      return { stdout: text, stderr: '' };
    case 1:
      return { filePath: '/a.txt', oldString: 'a', newString: 'b', originalFile: text };
    default:
      return { type: 'image', file: { base64: Buffer.from(text).toString('base64'), type: 'image/png' } };
  }
}
