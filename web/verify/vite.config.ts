import { compressed } from '../compressed.ts'
import { singlePageBuild } from './single-page.ts'

/** Builds the verify page, with the domain's own code. */
export default singlePageBuild('verify', { plugins: [compressed()] })
