import type { WriteFs } from '../../storage/writeFs';
import { readLines } from './transcriptLines';
import { type CallQuery, TurnFinder } from './turnFinder';

/** How much of a transcript's end is read, in bytes: first little, then more, then it is left to whoever reads the checkpoint. */
const TAILS_BYTES = [256 * 1024, 4 * 1024 * 1024];

/**
 * The prompt whose turn a call is of, while the call is being made: from the end of the transcript. Null when that does not
 * tell for certain: the turn may have begun further up, or the client has not written its rows yet. Rejects with Node's
 * error when there is no transcript, or it cannot be read.
 */
export async function findPrompt(
  transcriptPath: string,
  call: CallQuery,
  fs: Pick<WriteFs, 'lstat' | 'open'>,
): Promise<string | null> {
  for (const tailBytes of TAILS_BYTES) {
    const finder = new TurnFinder();
    const isAll = await readLines(transcriptPath, tailBytes, finder.addLine, fs);
    const prompt = finder.findForCertain(call);
    if (prompt !== null || isAll) return prompt;
  }
  return null;
}
