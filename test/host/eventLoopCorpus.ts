import { LARGEST } from '../bench/benchSizes';
import { prepareCorpus } from '../bench/corpus';
import type { HostTestEnvironment } from './hostTestEnvironment';

const QUICK = { files: 500, bytes: 100e6, seed: 3, folders: 20, links: 1, rows: 'real' } as const;

/** The sessions that are scanned while the event loop is monitored; created when they are missing. */
export function eventLoopCorpus(isFull: boolean): Pick<HostTestEnvironment, 'corpus' | 'isFull'> {
  const { configDir, files, bytes } = prepareCorpus(isFull ? LARGEST : QUICK);
  return { corpus: { configDir, sessions: files.length, bytes }, isFull };
}
