import type { ScannedSession } from '../../protocol/session';
import { ChainView } from '../faults/chainView';
import type { Examination } from '../faults/examination';
import { simulateResume } from '../resume/simulateResume';
import type { FileScanner, FileScanOptions, VerdictScanner } from '../transcript/scanFile';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import { fileProblem, type FileProblem, type ScannedIdentity } from '../util/openForeignFile';
import { describePlain, describeSession, describeUnread } from './describeSession';

/** An examined transcript, or why it could not be read. */
export type ExaminedSession =
  | { readonly kind: 'examined'; readonly examination: Examination; readonly identity: ScannedIdentity }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** facts → resume. */
export function examineFacts(facts: TranscriptFacts): Examination {
  const resume = simulateResume(facts);
  return { facts, resume, view: new ChainView(facts, resume) };
}

/** bytes → facts → resume. Rejects only when aborted. */
export async function examineSession(
  filePath: string,
  scanFile: FileScanner,
  options: FileScanOptions = {},
): Promise<ExaminedSession> {
  try {
    const { facts, identity } = await scanFile(filePath, options);
    return { kind: 'examined', examination: examineFacts(facts), identity };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'problem', problem: fileProblem(error, filePath) };
  }
}

/** The verdict. Rejects only when aborted. */
export async function scanSession(
  filePath: string,
  scanFile: VerdictScanner,
  options: FileScanOptions = {},
): Promise<ScannedSession> {
  try {
    const scanned = await scanFile(filePath, options);
    if ('plain' in scanned) return describePlain(filePath, scanned.plain);
    return describeSession(filePath, examineFacts(scanned.facts));
  } catch (error) {
    options.signal?.throwIfAborted();
    return describeUnread(filePath, fileProblem(error, filePath));
  }
}
