import { closeSync } from 'node:fs';
import { fileProblem, type FileProblem, openRegularFile } from '../../../util/openForeignFile';
import { isSessionName, isSubagentName } from '../format/paths';

/** Why a file that is named by neither a session nor a subagent is not a transcript; null for all others. */
export function foreignFileProblem(filePath: string): FileProblem | null {
  if (isSessionName(filePath) || isSubagentName(filePath)) return null;
  try {
    closeSync(openRegularFile(filePath).file);
  } catch (error) {
    return fileProblem(error, filePath);
  }
  const message = `${filePath} is not the transcript of a session: those are named by the id of the session.`;
  return { kind: 'unreadable', message };
}
