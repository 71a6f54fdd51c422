import type { Page } from 'playwright-core';
import type { PanelAction } from '../../../src/protocol/channels/panel';
import type { ContentBlock, ItemRole } from '../../../src/protocol/conversation';
import type { HostAnswers } from '../hostile/hostileRow';

export async function show(
  page: Page,
  blocks: readonly ContentBlock[],
  also: { readonly role?: ItemRole; readonly answers?: HostAnswers } = {},
): Promise<void> {
  await page.evaluate(
    ({ blocks, role, answers }) => {
      window.blocksPage.show(blocks, role, answers);
    },
    { blocks, role: also.role ?? ('assistant' as const), answers: also.answers ?? {} },
  );
}

/** Shows the blocks, and opens every call. */
export async function showOpen(...args: Parameters<typeof show>): Promise<void> {
  await show(...args);
  const closed = args[0].locator('.block-card-line[aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
}

/** The requests to the extension since the last call. */
export async function actionsOf(page: Page): Promise<readonly PanelAction[]> {
  return page.evaluate(() => window.blocksPage.actions.splice(0));
}
