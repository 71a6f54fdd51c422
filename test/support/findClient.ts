import { execFile } from 'node:child_process';
import { join } from 'node:path';

export type FoundClient =
  | { readonly kind: 'found'; readonly path: string }
  /** The download was refused: what needs the client is to be skipped, loudly. */
  | { readonly kind: 'absent'; readonly reason: string };

const EXIT_SKIPPED = 3;

/** The real client: `CLAUDE_BIN` when set, else the pinned version, which is downloaded once into a cache folder. */
export async function findClient(): Promise<FoundClient> {
  const named = process.env['CLAUDE_BIN'];
  if (named !== undefined && named !== '') return { kind: 'found', path: named };
  const script = join(__dirname, '..', '..', 'scripts', 'setupClient.mjs');
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [script], (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'found', path: stdout.trim() });
      else if (error.code === EXIT_SKIPPED) resolve({ kind: 'absent', reason: stderr.trim() });
      else reject(new Error(`Failed to set up the client: ${stderr.trim()}`, { cause: error }));
    });
  });
}
