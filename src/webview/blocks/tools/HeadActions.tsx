import type { JSX } from 'preact';
import type { RowItem, ToolBlock } from '../../../shared/conversation';
import type { PanelAction } from '../../../shared/api/conversation';
import type { BlockHost } from '../blockHost';
import { Icon, type IconName } from '../parts/Icon';

/** What can be done with a call without unfolding it. */
export function HeadActions(props: {
  readonly block: ToolBlock;
  readonly item: RowItem;
  readonly host: BlockHost;
}): JSX.Element | null {
  const { block, item, host } = props;
  const { input } = block;
  const button = (icon: IconName, label: string, action: PanelAction): JSX.Element => (
    <button
      type="button"
      class="block-icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        host.act(action);
      }}
    >
      <Icon name={icon} />
    </button>
  );
  const open = (path: string): JSX.Element => button('open', host.t('Open file'), { kind: 'openFile', path });
  switch (input.kind) {
    case 'read':
    case 'write':
      return open(input.filePath);
    case 'diff':
      return (
        <>
          {button('diff', host.t('Open diff'), {
            kind: 'openDiff',
            filePath: host.filePath,
            line: item.line,
            path: block.path,
          })}
          {open(input.filePath)}
        </>
      );
    case 'agent':
      return block.subagent === null
        ? null
        : button('open', host.t('Open in its own panel'), { kind: 'openConversation', filePath: block.subagent });
    default:
      return null;
  }
}
