// A made-up conversation of any length, with words, speakers, chapters, entities and sentiment.

const sentences = [
  'Thanks for joining the review of the second quarter today.',
  'Let us begin with the invoices that Maria Okonkwo sent from Lisbon on 14 March.',
  'I looked at the numbers again and the difference is about 4,200 euros.',
  'Could you explain how the delivery to Rotterdam was delayed by almost two weeks?',
  'The warehouse changed its system, and half of the labels had the wrong address.',
  'That sounds frustrating, and I am sorry that nobody told you earlier.',
  'We agreed with Northwind Freight that they call us before noon in such cases.',
  'My suggestion is that we move the old contracts to the new template by Friday.',
  'Honestly, the support team did an excellent job with the returns this time.',
  'What worries me is the cost of storage, which went up by a third since January.',
  'If we close the small depot, we save money but the drivers lose an hour a day.',
  'I will write a short summary and send it to everybody tomorrow morning.',
];
const names = [
  ['Maria Okonkwo', 'person'],
  ['Lisbon', 'place'],
  ['14 March', 'date'],
  ['4,200 euros', 'money'],
  ['Rotterdam', 'place'],
  ['Northwind Freight', 'organization'],
  ['Friday', 'date'],
];
const titles = ['Opening and agenda', 'Invoices from Lisbon', 'The Rotterdam delay', 'Storage costs', 'Contracts and templates', 'Next steps'];

export function makeTranscript(wordCount, speakers = ['A', 'B', 'C']) {
  const utterances = [];
  const entities = [];
  let text = '';
  let time = 0.4;
  let words = 0;
  for (let turn = 0; words < wordCount; turn++) {
    const utterance = { speaker: speakers[(turn * 7 + (turn >> 2)) % speakers.length], start: time, end: time, text: '', words: [] };
    for (let index = 0; index < 2 + (turn % 4); index++) {
      const sentence = sentences[(turn * 5 + index * 3) % sentences.length];
      const at = text.length + (text ? 1 : 0);
      for (const [name, type] of names) {
        const found = sentence.indexOf(name);
        if (found >= 0) entities.push({ text: name, type, start_char: at + found, end_char: at + found + name.length, confidence: 0.9, start: time });
      }
      text += (text ? ' ' : '') + sentence;
      for (const word of sentence.split(' ')) {
        const length = 0.12 + word.length * 0.035;
        utterance.words.push({ word, start: round(time), end: round(time + length), confidence: 0.95 });
        time += length + 0.05;
        words++;
      }
      utterance.text += (utterance.text ? ' ' : '') + sentence;
    }
    utterance.start = utterance.words[0].start;
    utterance.end = utterance.words.at(-1).end;
    utterances.push(utterance);
    time += 0.6;
  }
  return { text, utterances, entities, duration: round(time), speakers };
}

export function makeResult(wordCount) {
  const { text, utterances, entities, duration, speakers } = makeTranscript(wordCount);
  const part = duration / titles.length;
  return {
    transcript: {
      text,
      language: 'en',
      duration_seconds: String(duration),
      segments: utterances.map(({ start, end, text, words }, id) => ({ id, start, end, text, words })),
      utterances,
    },
    diarization: {
      speakers: speakers.map((id) => ({ id, seconds: duration / 3 })),
      turns: utterances.map(({ speaker, start, end }) => ({ speaker, start, end })),
    },
    chapters: {
      chapters: titles.map((title, index) => ({
        title,
        summary: `The group talks about ${title.toLowerCase()} and agrees on who does what.`,
        start: round(index * part),
        end: round((index + 1) * part),
        start_char: 0,
        end_char: 0,
      })),
    },
    entities: { entities },
    key_phrases: {
      key_phrases: ['second quarter', 'cost of storage', 'wrong address', 'new template', 'support team', 'short summary'].map((phrase, index) => ({
        text: phrase,
        score: 0.95 - index * 0.12,
        count: 14 - index * 2,
      })),
    },
    sentiment: {
      granularity: 'utterance',
      document: { label: 'positive', score: 0.18 },
      utterances: utterances.map((_, index) => ({ index, label: 'neutral', score: round(Math.sin(index / 9) * 0.6 + Math.sin(index * 1.7) * 0.25) })),
    },
    summary: {
      type: 'bullets',
      text: 'The team reviewed the second quarter: an invoice difference, a late delivery to Rotterdam, and rising storage costs.',
      bullets: [
        'Maria checks the invoice difference of 4,200 euros.',
        'Northwind Freight calls before noon when a delivery is late.',
        'The old contracts move to the new template by Friday.',
      ],
    },
    topics: {
      topics: [
        { label: 'logistics', score: 0.92 },
        { label: 'finance', score: 0.71 },
        { label: 'customer support', score: 0.4 },
      ],
    },
    tasks: {
      actions: {
        text: '{"items":[…]}',
        json: {
          items: [
            { who: 'Maria', what: 'check the invoices' },
            { who: 'Jonas', what: 'write the summary' },
          ],
          open: true,
          note: '<b>not HTML</b>',
        },
      },
    },
    artifacts: [],
    errors: [],
  };
}

const round = (value) => Math.round(value * 100) / 100;
