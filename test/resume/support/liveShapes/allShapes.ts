import { AGENT_SHAPES } from './agents';
import { COMMAND_SHAPES } from './commands';
import { COMPACTION_SHAPES } from './compactions';
import { END_SHAPES } from './ends';
import { ERROR_SHAPES } from './errors';
import { HOOK_SHAPES } from './hooks';
import { MESSAGE_SHAPES } from './messages';
import { RESUME_SHAPES } from './resumes';
import type { LiveShapes } from './shape';
import { TOOL_SHAPES } from './tools';

export const LIVE_SHAPES: LiveShapes = {
  ...MESSAGE_SHAPES,
  ...TOOL_SHAPES,
  ...HOOK_SHAPES,
  ...COMMAND_SHAPES,
  ...ERROR_SHAPES,
  ...END_SHAPES,
  ...RESUME_SHAPES,
  ...AGENT_SHAPES,
  ...COMPACTION_SHAPES,
};
