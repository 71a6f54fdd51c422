import { prepareCorpus } from '../bench/corpus';
import type { HostTestEnvironment } from './hostTestEnvironment';

/** As large as the largest collection of sessions that people have told of, its bytes kept eight times over. */
const FULL = { files: 8206, bytes: 6.6e9, seed: 3, folders: 120, links: 8, rows: 'real' } as const;
const QUICK = { files: 500, bytes: 100e6, seed: 3, folders: 20, links: 1, rows: 'real' } as const;

/** The sessions that are scanned while the event loop is watched; made when they are not there. */
export function eventLoopCorpus(isFull: boolean): Pick<HostTestEnvironment, 'corpus' | 'isFull'> {
  const { configDir, files, bytes } = prepareCorpus(isFull ? FULL : QUICK);
  return { corpus: { configDir, sessions: files.length, bytes }, isFull };
}
