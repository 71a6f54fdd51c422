import { blocksOf, parseRow } from '../../support/countedRows';
import type { ApiMessage } from '../../support/mockApi';

/** A number that no other text of the shape has. */
const NUMBER = /\[\d+\] /g;

/**
 * Results are compared by the id of their call, and the client answers some calls with texts of its own. Here, the numbers in
 * the texts of results are compared. `missingLines`: the rows that are predicted to be missing.
 */
export function faultsOfResults(
  bytes: Buffer,
  missingLines: readonly number[],
  messages: readonly ApiMessage[] | null,
): string[] {
  const sent = new Set((messages ?? []).flatMap(({ content }) => numbersOf(content)));
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((text, at): string[] => {
      const row = parseRow(text);
      if (row?.type !== 'user' || row.isSidechain || row.isMeta) return [];
      const isMissing = missingLines.includes(at + 1);
      const wrong = numbersOf(row.message?.content).filter((number) => sent.has(number) === isMissing);
      return wrong.map((number) => `line ${at + 1}: the result ${number} is ${isMissing ? '' : 'not '}in the request`);
    });
}

/** Call and number of each result. */
function numbersOf(content: unknown): string[] {
  return blocksOf(content).flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const numbers = JSON.stringify(block).match(NUMBER) ?? [];
    return numbers.map((number) => `${String(block.tool_use_id)} ${number}`);
  });
}
