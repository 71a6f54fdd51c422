import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/**
 * What the axe checks find wrong with a page, one line for each element.
 *
 * @param without ids of rules that do not apply
 */
export async function axeFaults(page: Page, without: readonly string[] = []): Promise<string[]> {
  // The default mode is for frames of other origins, which our pages do not have, and opens a second page for each check.
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await builder.disableRules([...without]).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target, failureSummary }) => {
      return `${id}: ${target.join()} ${html.slice(0, 160)} ${failureSummary ?? ''}`;
    }),
  );
}
