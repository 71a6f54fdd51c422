/**
 * The name that prices go by: Bedrock and Vertex write the same models with a place before it, which may be a whole ARN or
 * path, and a version or an `@` behind it; the client's own `[1m]` asks for the long context. Of the oldest models,
 * `claude-v2`, the version is the name.
 */
export function plainModelName(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, '')
    .replace(/^(?:.*\/)?(?:[a-z-]+\.)?anthropic(?:\/models\/|[./])/, '')
    .replace(/(?<!^claude)-v\d+(?::\d+)?$/, '')
    .replace('@', '-');
}

/** The name says that the model takes a million tokens. */
export function hasLongContext(model: string): boolean {
  return /\[1m\]$/i.test(model.trim());
}

/** Messages that the client wrote itself, about an error as a rule: no model answered. */
export const SYNTHETIC_MODEL = '<synthetic>';
