import type { Finding } from '../../src/protocol/repair';
import { CHECKS } from '../rooms/diagnose';

const OF_FILE = new Set(CHECKS.flatMap(({ kind, code }) => (kind === 'file' ? [code] : [])));

/**
 * The findings of a thorough scan without those about the file as a whole: recordings are made in print mode, so that the client
 * lists none of them.
 */
export function contentFindings({ findings }: { readonly findings: readonly Finding[] }): readonly Finding[] {
  return findings.filter(({ code }) => !OF_FILE.has(code));
}
