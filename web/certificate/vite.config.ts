import { singlePageBuild } from '../verify/single-page.ts'

/** Builds the frame of the pages of shared certificates, which the query service fills. */
export default singlePageBuild('certificate')
