// Which rows of a long list are in the page, and where: reads their heights and writes their place.
import type { RowHeights } from './row-heights';

export interface RowRange {
  first: number;
  end: number;
}

// Pixels above and below the view that are also in the page, so that fast scrolling shows no gaps. Other rows are
// chosen when fewer than LEAST_MARGIN are left, not at each row, because each choice costs a layout.
const MARGIN = 700;
const LEAST_MARGIN = 250;

export class VirtualRows {
  // The first row that is in the page.
  first = 0;
  private height = -1;
  private top = -1;

  constructor(private readonly heights: RowHeights) {}

  // The rows to show if the view begins at this distance from the top of the list.
  near(distance: number): RowRange {
    const { heights } = this;
    if (heights.count === 0) return { first: 0, end: 0 };
    return {
      first: heights.indexAt(distance - MARGIN),
      end: heights.indexAt(distance + window.innerHeight + MARGIN) + 1,
    };
  }

  // Whether these rows are enough for a view that begins at this distance.
  cover(range: RowRange, distance: number): boolean {
    const { heights } = this;
    if (range.first > 0 && range.first >= heights.count) return false;
    const hasAbove = range.first === 0 || heights.top(range.first) <= distance - LEAST_MARGIN;
    const bottom = distance + window.innerHeight + LEAST_MARGIN;
    return hasAbove && (range.end >= heights.count || heights.top(range.end) >= bottom);
  }

  // Measures the rows in the page and puts them at their place. Returns whether a height changed. If rows above the
  // view have other heights than expected, the view moves with them, so that the text under the eye stays.
  measure(frame: HTMLElement): boolean {
    const list = frame.firstElementChild as HTMLElement;
    this.placeTop(list);
    const sizes = Array.from(list.children, (row) => row.getBoundingClientRect().height);
    let bottom = frame.getBoundingClientRect().top + this.heights.top(this.first);
    let moved = 0;
    let changed = false;
    sizes.forEach((size, offset) => {
      const difference = this.heights.set(this.first + offset, size);
      bottom += size;
      if (difference === 0) return;
      changed = true;
      if (bottom < 0) moved += difference;
    });
    this.setHeight(frame);
    if (moved !== 0) window.scrollBy(0, moved);
    return changed;
  }

  // Only rows before the first one decide its place, so nothing has to be measured before. With a padding, rows that
  // stay in the page keep their place in it and are not drawn again; a changed `transform` would draw all of them.
  private placeTop(list: HTMLElement): void {
    const top = this.heights.top(this.first);
    if (top !== this.top) list.style.paddingTop = `${top}px`;
    this.top = top;
  }

  private setHeight(frame: HTMLElement): void {
    const { total } = this.heights;
    if (total !== this.height) frame.style.height = `${total}px`;
    this.height = total;
  }
}
