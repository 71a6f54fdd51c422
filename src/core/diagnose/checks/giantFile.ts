import { type Finding, GIANT_FILE } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { RowKind } from '../../transcript/rowFlags';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import type { LinkCheck } from '../check';

/** A smaller file is read in a moment. */
const MIN_FILE_BYTES = 100_000_000;
const MIN_SHARE = 0.5;

/**
 * `giant-file`: more than half of a large transcript is progress, which clients up to 2.1.50 wrote and none sends. A repair changes
 * nothing about it, but slimming does. (docs/repairs.md, "Giant transcripts")
 */
export const giantFile: LinkCheck = {
  // What a client appends to a session is not progress, so the finding holds while a session grows.
  kind: 'links',
  code: GIANT_FILE,
  find({ index }: Pick<LoadedTranscript, 'index'>): Finding[] {
    if (index.fileSize < MIN_FILE_BYTES) return [];
    const bytes = progressBytes(index);
    if (bytes < MIN_SHARE * index.fileSize) return [];
    const message = `About ${percent(bytes / index.fileSize)} of this file of ${megabytes(index.fileSize)} is progress that an old client wrote: Claude reads it with each resume and uses none of it. Slim the session to remove it.`;
    return [{ code: GIANT_FILE, severity: 'warning', action: 'ask', lines: [], uuids: [], message }];
  },
};

/** Includes the metadata between a progress row and the next row, of which the index has no sizes. */
function progressBytes({ rows, fileSize }: TranscriptIndex): number {
  let bytes = 0;
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) === RowKind.progress) bytes += rows.offsetAfter(row, fileSize) - rows.offset(row);
  }
  return bytes;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
