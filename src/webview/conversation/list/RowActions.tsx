import type { JSX } from 'preact';
import type { PanelCalls } from '../../../protocol/channels/panel';
import type { ContentBlock, RowItem } from '../../../protocol/conversation';
import { Icon, IconButton } from '../../ui/Icon';
import { Menu, type MenuItem, moveFocus } from '../../ui/Menu';
import { useApp } from '../conversationApp';

/** Actions for a row, visible while the pointer or the focus is in it. */
export function RowActions({ item }: { item: RowItem }): JSX.Element {
  const { t, act, store, host } = useApp();
  const { filePath } = store;
  const copyText = (): void => {
    void textOf(item, host, filePath).then((text) => {
      act({ kind: 'copy', text });
    });
  };
  const reveal = (): void => {
    act({ kind: 'revealLine', filePath, line: item.line });
  };
  const go = (kind: 'fork' | 'rewind'): Omit<MenuItem, 'label'> => ({
    icon: kind,
    ...((item.isSidechain || item.uuid === null) && { disabledBecause: t('Claude never resumes this row') }),
    onChoose: () => {
      act({ kind, line: item.line });
    },
  });
  const items: MenuItem[] = [
    { label: t('Copy text'), icon: 'copy', onChoose: copyText },
    {
      label: t('Copy link'),
      icon: 'link',
      onChoose: () => {
        act({ kind: 'copyLink', line: item.line });
      },
    },
    { label: t('Reveal raw line'), detail: t('Line {0} of the transcript', item.line), icon: 'raw', onChoose: reveal },
    { label: t('Fork from here'), ...go('fork') },
  ];
  if (item.role === 'user' && item.blocks.some(({ kind }) => kind === 'text'))
    items.push({ label: t('Rewind files to here'), ...go('rewind') });
  return (
    <div
      class="row-actions"
      role="toolbar"
      aria-label={t('Actions of this row')}
      data-unsearched
      onKeyDown={(event) => {
        if (moveFocus(event, event.currentTarget, ':scope > button', 'horizontal')) event.preventDefault();
      }}
    >
      <IconButton icon="copy" label={t('Copy text')} onPress={copyText} />
      <IconButton icon="raw" label={t('Reveal raw line')} onPress={reveal} />
      <Menu label={t('More actions')} buttonClass="icon-button" button={<Icon name="more" />} items={items} />
    </div>
  );
}

type Texts = Pick<PanelCalls, 'text'>;

/** The text that copying a row puts on the clipboard: messages, and inputs and results of tools. */
export async function textOf(item: RowItem, host: Texts, filePath: string): Promise<string> {
  const parts = await Promise.all(item.blocks.map((block) => blockText(block, item, host, filePath)));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function blockText(block: ContentBlock, item: RowItem, host: Texts, filePath: string): Promise<string> {
  const whole = async (line: number, path: string, body: { text: string; more: number } | null): Promise<string> => {
    if (body === null) return '';
    return body.more === 0 ? body.text : ((await host.text(filePath, line, path)) ?? body.text);
  };
  switch (block.kind) {
    case 'tool': {
      const result = block.result;
      const answer = result === null ? '' : await whole(result.line, result.path, result.text);
      const input = await host.text(filePath, item.line, `${block.path}.input`);
      const asked = input === null ? block.title : inputText(input);
      return [`${block.name}\n${asked}`, answer].filter((part) => part !== '').join('\n\n');
    }
    case 'result':
      return whole(item.line, block.result.path, block.result.text);
    case 'image':
    case 'compaction':
    case 'interruption':
      return '';
    case 'note':
      return [block.title, await whole(item.line, block.path, block.body)].filter((part) => part !== '').join('\n');
    case 'text':
    case 'thinking':
    case 'summary':
    case 'error':
    case 'raw':
      return whole(item.line, block.path, block.body);
  }
}

/** A tool's input, field by field, with texts unescaped so that a command or a file can be copied from it. */
function inputText(json: string): string {
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input !== 'object' || input === null) return json;
    return Object.entries(input)
      .map(([name, value]: [string, unknown]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
        return `${name}:${text.includes('\n') ? '\n' : ' '}${text}`;
      })
      .join('\n');
  } catch {
    // A truncated input is not valid JSON.
    return json;
  }
}
