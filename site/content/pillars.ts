/** One pillar and its drawing. */
export interface Pillar {
  /** The name of the drawing. Keep it; the three may change places. */
  drawing: 'design' | 'visibility' | 'enablement';
  title: string;
  /** What the client has of it, in a sentence or two. */
  text: string;
}

/** What every engagement rests on. */
export const pillars: { heading: string; items: Pillar[] } = {
  /** The line above the pillars. */
  heading: 'Three things keep it fixed.',
  items: [
    {
      drawing: 'design',
      title: 'Workflow Design',
      text: 'One clear path for every order. No detours, and nothing handled twice.',
    },
    {
      drawing: 'visibility',
      title: 'Operations Visibility',
      text: 'What is in stock, what is late and who has it, on one screen that you trust.',
    },
    {
      drawing: 'enablement',
      title: 'Team Enablement',
      text: 'Your people know the steps, own them, and run the system without me in the room.',
    },
  ],
};
