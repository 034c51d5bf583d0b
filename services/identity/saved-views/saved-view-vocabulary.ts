/** The lists whose filters staff keep under names. */
export const viewedLists = ['payouts', 'users'] as const
export type ViewedList = (typeof viewedLists)[number]

/** Views of one list that a member may have: more than fit into a choice. */
export const MOST_VIEWS = 20

export const LONGEST_VIEW_NAME = 60
