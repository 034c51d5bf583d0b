/** More than fit into a choice. */
export const MOST_TEMPLATES = 30

export const LONGEST_TEMPLATE_NAME = 60
