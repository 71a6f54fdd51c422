import type { SessionFocus } from '../../shared/api/worker';

/** A group of editors, with the transcripts that its tabs are about; null for those that are about none. */
export interface TabGroup {
  readonly isActive: boolean;
  readonly tabs: readonly { readonly isActive: boolean; readonly filePath: string | null }[];
}

/** A session in a panel, which is no tab that can be told from others. */
export interface ShownSession {
  readonly filePath: string;
  readonly place: keyof SessionFocus;
}

/** Which sessions the person has before them: the tab with the focus, the other tabs on top, and those behind. */
export function sessionFocus(groups: readonly TabGroup[], panels: readonly ShownSession[] = []): SessionFocus {
  const inPanels = (place: keyof SessionFocus): string[] =>
    panels.filter((panel) => panel.place === place).map(({ filePath }) => filePath);
  const active = inPanels('active');
  const visible = inPanels('visible');
  const background = inPanels('background');
  for (const group of groups) {
    for (const { isActive, filePath } of group.tabs) {
      if (filePath === null) continue;
      if (isActive) (group.isActive ? active : visible).push(filePath);
      else background.push(filePath);
    }
  }
  return { active, visible, background };
}
