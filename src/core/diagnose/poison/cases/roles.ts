import type { Fault } from '../../../providers/claude/request/requestRules';
import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import type { FaultCase, FaultRepair, InsertEdit } from '../faultCase';

/** An API that refuses the one refuses the other, too, so both are mended at once. */
const repair: FaultRepair = { action: 'auto', edits: fillRoles };

/** `role`: the API that the session uses accepts no history that begins with a reply. */
export const firstRole: FaultCase = {
  what: 'The history begins with a reply, which the API refuses',
  healing: null,
  repair,
};

/** `role`: the API that the session uses accepts no two replies in a row. */
export const sameRoles: FaultCase = {
  what: 'Two replies follow each other, which the API refuses',
  healing: null,
  repair,
};

function fillRoles(_: Fault, { messages }: JudgedRequest): readonly InsertEdit[] {
  return messages.flatMap(({ role, rows: [row] }, at): InsertEdit[] => {
    const isAlone = role === 'assistant' && (at === 0 || messages[at - 1]?.role === 'assistant');
    if (!isAlone || row === undefined) return [];
    const content = at === 0 ? '[beginning lost]' : '[message lost]';
    const why =
      at === 0
        ? 'The API that this session uses expects a prompt at the beginning: one that says what is missing comes before the first reply.'
        : 'The API that this session uses expects a prompt between two replies: one that says what is missing comes between them.';
    const fields = () => ({ type: 'user', message: { role: 'user', content } });
    return [{ kind: 'insert', row: row.row, place: 'before', fields, why }];
  });
}
