// Words for the role of a node.
import type { Node } from './records';

const words: Record<Node['role'], string> = { all: 'API and worker', api: 'API only', worker: 'Worker only' };

export const roleText = (role: Node['role']): string => words[role];
