import type { ScannedSession } from '../../protocol/session';
import type { Diagnostics } from '../diagnose/verdict';
import { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import type { LoaderRules } from '../providers/claude/loader/rules';
import type { FileScanner, FileScanOptions, OneLookScanner } from '../transcript/scanFile';
import { fileProblem, type FileProblem, type ScannedIdentity } from '../util/openForeignFile';
import { describeSession, describeUnread } from './describeSession';

/** A loaded transcript, or why it could not be read. */
export type LoadedSession =
  | { readonly kind: 'loaded'; readonly loaded: LoadedTranscript; readonly identity: ScannedIdentity }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** bytes → facts → what the client loads. Rejects only when aborted. */
export async function loadSession(
  filePath: string,
  scanFile: FileScanner,
  rules: LoaderRules,
  options: FileScanOptions = {},
): Promise<LoadedSession> {
  try {
    const { facts, identity } = await scanFile(filePath, options);
    return { kind: 'loaded', loaded: new LoadedTranscript(facts, rules), identity };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { kind: 'problem', problem: fileProblem(error, filePath) };
  }
}

/** The verdict. Rejects only when aborted. */
export async function scanSession(
  filePath: string,
  scanOnce: OneLookScanner,
  { rules, checks }: Diagnostics,
  options: FileScanOptions = {},
): Promise<ScannedSession> {
  try {
    return await scanOnce(
      filePath,
      (facts) => describeSession(filePath, new LoadedTranscript(facts, rules), checks),
      options,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    return describeUnread(filePath, fileProblem(error, filePath));
  }
}
