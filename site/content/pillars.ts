/** What every engagement rests on. `drawing` names the picture and stays as it is. */
export const pillars = {
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
} as const;
