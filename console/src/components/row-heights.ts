// The heights of the rows of a long list: estimated until they are measured, with sums for fast searches.

export class RowHeights {
  private heights: number[] = [];
  private sums: number[] = [0];
  private validUntil = 0;

  constructor(private readonly estimate: (index: number) => number) {}

  get count(): number {
    return this.heights.length;
  }

  get total(): number {
    return this.top(this.count);
  }

  resize(count: number): void {
    while (this.heights.length < count) this.heights.push(this.estimate(this.heights.length));
    this.heights.length = count;
    this.validUntil = Math.min(this.validUntil, count);
  }

  // Forgets what was measured, for example because the rows have another width now.
  estimateAgain(): void {
    const { count } = this;
    this.resize(0);
    this.resize(count);
  }

  // Returns by how much the height changed.
  set(index: number, height: number): number {
    const before = this.heights[index];
    if (before === undefined || height === 0 || Math.abs(before - height) < 0.1) return 0;
    this.heights[index] = height;
    this.validUntil = Math.min(this.validUntil, index);
    return height - before;
  }

  top(index: number): number {
    for (; this.validUntil < index; this.validUntil++) {
      this.sums[this.validUntil + 1] = (this.sums[this.validUntil] ?? 0) + (this.heights[this.validUntil] ?? 0);
    }
    return this.sums[index] ?? 0;
  }

  // The row at a distance from the top.
  indexAt(distance: number): number {
    let low = 0;
    let high = this.count;
    this.top(high);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sums[middle + 1] ?? Infinity) <= distance) low = middle + 1;
      else high = middle;
    }
    return Math.min(low, Math.max(0, this.count - 1));
  }
}
