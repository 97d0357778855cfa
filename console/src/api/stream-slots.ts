// Which event streams may be open now. A browser opens only six connections to a server over HTTP/1.1, in all tabs
// together, and each stream occupies one until it ends.

// What a stream is for. Earlier ones get a slot first, and take it from later ones.
const uses = ['page', 'part', 'background'] as const;
export type StreamUse = (typeof uses)[number];

// Maximum number of event streams at once. The other three connections are for an upload and for short requests.
const MAX_STREAMS = 3;

interface SlotRequest {
  use: StreamUse;
  onChange: (hasSlot: boolean) => void;
  // Null until the first assignment.
  hasSlot: boolean | null;
}

export class StreamSlots {
  // Ordered by use, then by the time of the request. The first ones have the slots.
  private requests: SlotRequest[] = [];

  constructor(private limit: number) {}

  // Calls `onChange` at once, and again whenever the slot is given or taken. The returned function frees the slot.
  request(use: StreamUse, onChange: (hasSlot: boolean) => void): () => void {
    const request: SlotRequest = { use, onChange, hasSlot: null };
    this.requests = [...this.requests, request].sort((one, other) => uses.indexOf(one.use) - uses.indexOf(other.use));
    this.assign();
    return () => {
      this.requests = this.requests.filter((entry) => entry !== request);
      this.assign();
    };
  }

  // The number of requests without a slot.
  get waiting(): number {
    return Math.max(0, this.requests.length - this.limit);
  }

  setLimit(limit: number): void {
    this.limit = limit;
    this.assign();
  }

  // Slots are taken before they are given, so that there are never too many streams.
  private assign(): void {
    this.requests.slice(this.limit).forEach((request) => change(request, false));
    this.requests.slice(0, this.limit).forEach((request) => change(request, true));
  }
}

function change(request: SlotRequest, hasSlot: boolean): void {
  if (request.hasSlot === hasSlot) return;
  request.hasSlot = hasSlot;
  request.onChange(hasSlot);
}

export const streamSlots = new StreamSlots(MAX_STREAMS);

// Tabs that nobody looks at leave the connections to the others.
export function freeSlotsWhileHidden(): void {
  const update = () => streamSlots.setLimit(document.hidden ? 0 : MAX_STREAMS);
  document.addEventListener('visibilitychange', update);
  update();
}
