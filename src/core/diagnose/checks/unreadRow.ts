import type { Finding } from '../../../protocol/repair';
import { findBlockingRow } from '../../providers/claude/loader/blockingRow';
import { versionSince } from '../../providers/claude/loader/rules';
import { type LinkCheck, rowFinding } from '../check';

const CODE = 'unread-row';

/**
 * `unread-row`: the client resumes nothing because of one message that it cannot read, or the last message has no time that it can
 * read. Newer ones resume the session, so nothing about it is repaired. (docs/format.md, "Client versions")
 */
export const unreadRow: LinkCheck = {
  kind: 'links',
  code: CODE,
  find(loaded): Finding[] {
    const found = findBlockingRow(loaded);
    if (found === null) return [];
    const { row, rule } = found;
    const line = loaded.index.rows.line(row);
    const since = versionSince(rule);
    const why =
      rule === 'choosesTipsWithoutTime'
        ? `it finds no conversation, because it cannot read the time of the last message, on line ${line}`
        : `it cannot read the message on line ${line}, and stops`;
    const message = `Claude Code before ${since} does not resume this session: ${why}. To go on with it, use ${since} or newer.`;
    return [rowFinding(loaded.index, [row], { code: CODE, severity: 'error', action: 'tell', message })];
  },
};
