import { open } from 'node:fs/promises';
import { assistant, lines, prompt, result, type RowFields, uuidOf } from '../support/transcriptBuilder';

/** How large the turns of the conversation are, without progress. */
const TURNS = 200;
const OUTPUT_BYTES = 12_000;
/** The sizes of progress rows, one after the other: a hook's, a command's with its last lines, and a subagent's with a whole message. */
const PROGRESS_BYTES = [600, 4_000, 9_000, 30_000];
const FILLER = 'the quick brown fox, "quoted" as in a log line\n'.repeat(1000);

export interface ProgressTranscript {
  readonly bytes: number;
  readonly progressBytes: number;
  readonly progressRows: number;
  /** Rows that `resume.of` counts. */
  readonly counted: number;
}

/**
 * Writes the session of an old client that reported the progress of each call: 99 % of its bytes. In every second turn, the
 * conversation goes on below the progress, and in the others, beside it.
 */
export async function writeProgressTranscript(filePath: string, bytes: number): Promise<ProgressTranscript> {
  const file = await open(filePath, 'wx');
  let [written, progressBytes, progressRows] = [0, 0, 0];
  const write = async (rows: readonly RowFields[]): Promise<number> => {
    const text = lines(rows)
      .map((line) => `${line}\n`)
      .join('');
    const { bytesWritten } = await file.write(text);
    written += bytesWritten;
    return bytesWritten;
  };
  try {
    let last: string | null = null;
    for (let turn = 0; turn < TURNS; turn++) {
      const [asked, called, answered, said] = [`p${turn}`, `c${turn}`, `o${turn}`, `r${turn}`];
      const use = [{ type: 'tool_use', id: `toolu_${turn}`, name: 'Bash', input: { command: 'make' } }];
      await write([at(turn, 0, prompt(asked, last)), at(turn, 1, assistant(called, asked, use, {}, `msg_${turn}`))]);
      let above = called;
      for (let step = 0; written < (bytes * (turn + 1)) / TURNS; step++) {
        const name = `g${turn}.${step}`;
        progressBytes += await write([at(turn, 1, progress(name, above, called, step))]);
        progressRows++;
        above = name;
      }
      const content = [{ tool_use_id: `toolu_${turn}`, type: 'tool_result', content: FILLER.slice(0, OUTPUT_BYTES) }];
      await write([
        at(turn, 2, result(answered, turn % 2 === 0 ? above : called, '', { message: { role: 'user', content } })),
        at(turn, 3, assistant(said, answered, [{ type: 'text', text: `Turn ${turn} is done.` }])),
      ]);
      last = said;
    }
    // Nobody knows of an old client whether it runs, so a file that was just written would count as one in use.
    const hourAgo = new Date(Date.now() - 3_600_000);
    await file.utimes(hourAgo, hourAgo);
  } finally {
    await file.close();
  }
  return { bytes: written, progressBytes, progressRows, counted: 4 * TURNS };
}

function progress(name: string, parent: string, call: string, step: number): RowFields {
  const output = FILLER.slice(0, PROGRESS_BYTES[step % PROGRESS_BYTES.length]);
  return {
    parentUuid: uuidOf(parent),
    isSidechain: false,
    userType: 'external',
    sessionId: '44444444-4444-4444-8444-444444444444',
    version: '2.1.50',
    type: 'progress',
    data: { type: 'bash_progress', output, elapsedTimeSeconds: step },
    toolUseID: `bash-progress-${step}`,
    parentToolUseID: call,
    uuid: uuidOf(name),
  };
}

/** Turns are an hour apart, so that the client bridges no link by time. */
function at(turn: number, minute: number, row: RowFields): RowFields {
  return { ...row, timestamp: new Date(Date.UTC(2026, 5, 1) + turn * 3_600_000 + minute * 60_000).toISOString() };
}
