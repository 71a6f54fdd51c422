import * as vscode from 'vscode';
import type { Services } from '../services';
import type { Translate } from '../text/translate';
import { SESSION_SORTS, type SessionOrder, type SessionSort } from './sessionOrder';

interface OrderItem extends vscode.QuickPickItem {
  readonly change: Parameters<SessionOrder['set']>[0];
}

/** Lets the person choose how the tree sorts and groups sessions. A list, because menus cannot mark what is chosen. */
export async function pickOrder({ t }: Services, order: SessionOrder): Promise<void> {
  const sorts = SESSION_SORTS.map((sort) =>
    orderItem(sortLabel(sort, t), sortDetail(sort, t), sort === order.sort, { sort }, t),
  );
  const groups = [
    orderItem(t('Project'), t('The folders of this window first'), !order.isByDate, { isByDate: false }, t),
    orderItem(t('Date'), t('Today, yesterday, the last 7 and the last 30 days'), order.isByDate, { isByDate: true }, t),
  ];
  const chosen = await vscode.window.showQuickPick<OrderItem>(
    [heading(t('Sort By')), ...sorts, heading(t('Group By')), ...groups],
    { title: t('Sort and Group Sessions'), placeHolder: t('Choose how the list shows sessions') },
  );
  if (chosen !== undefined) order.set(chosen.change);
}

function heading(label: string): OrderItem {
  return { label, kind: vscode.QuickPickItemKind.Separator, change: {} };
}

function orderItem(
  label: string,
  detail: string,
  isChosen: boolean,
  change: OrderItem['change'],
  t: Translate,
): OrderItem {
  // Screen readers do not read icons.
  const description = [isChosen ? t('chosen') : '', detail].filter((part) => part !== '').join(' · ');
  return { label, description, iconPath: new vscode.ThemeIcon(isChosen ? 'check' : 'blank'), change };
}

function sortLabel(sort: SessionSort, t: Translate): string {
  switch (sort) {
    case 'activity':
      return t('Last Activity');
    case 'created':
      return t('Created');
    case 'size':
      return t('Size');
    case 'tokens':
      return t('Tokens');
  }
}

function sortDetail(sort: SessionSort, t: Translate): string {
  switch (sort) {
    case 'activity':
    case 'created':
      return '';
    case 'size':
      return t('of the transcript');
    case 'tokens':
      return t('of the session and its subagents; counting them takes a while the first time');
  }
}
