/** Notes on one user: as many as a person reads. */
export const MOST_NOTES = 100
