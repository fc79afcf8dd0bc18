/** The checkboxes' name in a post without JavaScript. */
export const TOPICS_FIELD = 'topics';

/** In Unicode code points, including its line end. It comes on top of what a visitor may type. */
export const LONGEST_TOPIC_LINE = 1000;

/** A message's first line, which names what was ticked or asked about. The label is the page's word for it. */
export function topicLine(label: string, topics: readonly string[]): string {
  const line = [...`${label.trim()}: ${topics.join('; ')}`].slice(0, LONGEST_TOPIC_LINE - 1);
  return topics.length > 0 ? `${line.join('')}\n` : '';
}

/** How many of a message's code points make up that line. */
export function lengthOfTopicLine(label: string, message: string): number {
  const line = [...message.slice(0, message.indexOf('\n') + 1)];
  const isOurs = message.startsWith(`${label.trim().normalize('NFC')}: `);
  return isOurs && line.length <= LONGEST_TOPIC_LINE ? line.length : 0;
}
