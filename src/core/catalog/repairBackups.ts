/** A repair keeps the transcript as it was beside it, as `<transcript>.backup-<milliseconds since the epoch>`. */
const BACKUP_NAME = /^(?<transcript>.+\.jsonl)\.backup-\d+$/;

/** Of the names in a folder: the transcripts that a backup lies beside. */
export function transcriptsWithBackup(names: readonly string[]): ReadonlySet<string> {
  const transcripts = new Set<string>();
  for (const name of names) {
    const transcript = BACKUP_NAME.exec(name)?.groups?.['transcript'];
    if (transcript !== undefined) transcripts.add(transcript);
  }
  return transcripts;
}
