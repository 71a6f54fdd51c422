import type { JSX } from 'preact';
import type { PanelCalls } from '../../../protocol/channels/panel';
import type { ContentBlock, RowItem } from '../../../protocol/conversation';
import { isResultAlone } from '../../../protocol/message';
import { Icon, IconButton } from '../../ui/Icon';
import { Menu, type MenuItem, moveFocus } from '../../ui/Menu';
import { useApp } from '../conversationApp';

/** Actions for a row, visible while the pointer or the focus is in it. */
export function RowActions({ item }: { item: RowItem }): JSX.Element {
  const { t, act, store, host } = useApp();
  const { filePath } = store;
  const copy = (as: 'text' | 'markdown') => (): void => {
    void (as === 'text' ? textOf : markdownOf)(item, host, filePath).then((text) => {
      act({ kind: 'copy', text });
    });
  };
  const reveal = (): void => {
    act({ kind: 'revealLine', filePath, line: item.line });
  };
  const isResumable = !item.isSidechain && item.uuid !== null;
  const go = (kind: 'fork' | 'rewind') => (): void => {
    act({ kind, line: item.line });
  };
  const menuItem = (kind: 'fork' | 'rewind'): Omit<MenuItem, 'label'> => ({
    icon: kind,
    ...(!isResumable && { disabledBecause: t('Claude never resumes this message') }),
    onChoose: go(kind),
  });
  const items: MenuItem[] = [
    { label: t('Copy Text'), icon: 'copy', onChoose: copy('text') },
    { label: t('Copy as Markdown'), icon: 'copy', onChoose: copy('markdown') },
    {
      label: t('Copy Link'),
      icon: 'link',
      onChoose: () => {
        act({ kind: 'copyLink', line: item.line });
      },
    },
    { label: t('Open Line'), detail: t('Line {0} of the transcript', item.line), icon: 'raw', onChoose: reveal },
    { label: t('Fork From Here'), ...menuItem('fork') },
  ];
  if (isPrompt(item)) items.push({ label: t('Rewind to Here'), ...menuItem('rewind') });
  return (
    <div
      class="row-actions"
      role="toolbar"
      aria-label={t('Actions of this message')}
      data-unsearched
      onKeyDown={(event) => {
        if (moveFocus(event, event.currentTarget, ':scope > button', 'horizontal')) event.preventDefault();
      }}
    >
      <IconButton icon="copy" label={t('Copy Text')} onPress={copy('text')} />
      {isResumable && <IconButton icon="fork" label={t('Fork From Here')} onPress={go('fork')} />}
      {isResumable && isPrompt(item) && <IconButton icon="rewind" label={t('Rewind to Here')} onPress={go('rewind')} />}
      <Menu label={t('More actions')} buttonClass="icon-button" button={<Icon name="more" />} items={items} />
    </div>
  );
}

/** Whether files can be rewound to the message. */
function isPrompt({ role, blocks }: RowItem): boolean {
  return role === 'user' && blocks.some(({ kind }) => kind === 'text');
}

/**
 * What VS Code's own menu on a message goes by, as an attribute of its element: the menu's `when` clauses name it, and its commands
 * receive it.
 */
export function menuContext(item: RowItem, filePath: string): string {
  const isResumable = !item.isSidechain && item.uuid !== null;
  return JSON.stringify({
    webviewSection: 'message',
    filePath,
    line: item.line,
    rethreadCanFork: isResumable,
    rethreadCanRewind: isResumable && isPrompt(item),
    // Copy is for a selection.
    preventDefaultContextMenuItems: false,
  });
}

/** A button that shows a line of the transcript as it is in the file. */
export function RevealButton({ line }: { line: number }): JSX.Element {
  const { t, formats, act, store } = useApp();
  return (
    <button
      type="button"
      class="text-button"
      onClick={() => {
        act({ kind: 'revealLine', filePath: store.filePath, line });
      }}
    >
      {t('Line {0}', formats.number(line))}
    </button>
  );
}

type Texts = Pick<PanelCalls, 'text'>;

/** The text that copying a row puts on the clipboard: messages, and inputs and results of tools. */
export async function textOf(item: RowItem, host: Texts, filePath: string): Promise<string> {
  const parts = await Promise.all(item.blocks.map((block) => blockText(block, item, host, filePath)));
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The message as Markdown: prompts and replies as they are, everything else as code, below the name of its author. */
export async function markdownOf(item: RowItem, host: Texts, filePath: string): Promise<string> {
  const parts = await Promise.all(
    item.blocks.map(async (block) => {
      const text = await blockText(block, item, host, filePath);
      const isMarkdown = block.kind === 'text' || block.kind === 'summary';
      return text === '' || isMarkdown ? text : fenced(text);
    }),
  );
  return [`**${markdownAuthor(item)}**`, ...parts.filter((part) => part !== '')].join('\n\n');
}

function markdownAuthor(item: RowItem): string {
  if (item.role === 'assistant') return 'Claude';
  if (item.role !== 'user') return item.role;
  return isResultAlone(item.role, item.blocks) ? 'Tool' : 'User';
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
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
