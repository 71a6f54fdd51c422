import { isBackupName } from '../write/findBackups';

/** Of the names in a folder: the transcripts that a backup from a repair lies beside. */
export function transcriptsWithBackup(names: readonly string[]): ReadonlySet<string> {
  const transcripts = new Set<string>();
  for (const name of names) {
    const transcript = name.slice(0, name.lastIndexOf('.jsonl') + '.jsonl'.length);
    if (isBackupName(transcript, name)) transcripts.add(transcript);
  }
  return transcripts;
}
