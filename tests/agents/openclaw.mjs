// Asks OpenClaw for the catalog of skills in its prompt, for each tree. The program looks up its home once, so each tree's home
// takes that place in turn. Its bundled skills and plugins are off, unless a tree names a directory of bundled skills.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const [tools, given, out] = process.argv.slice(2);
const dist = `${tools}/openclaw/node_modules/openclaw/dist`;
const part = (name) => import(`${dist}/${readdirSync(dist).find((file) => file.startsWith(`${name}-`) && file.endsWith('.mjs'))}`);
const home = process.env.HOME;
const nothing = `${home}-nothing`;
mkdirSync(nothing, { recursive: true });
// The names are those of its exports in the pinned version.
const { t: buildSkillSnapshot } = await part('workspace-skill-prompt');
const { s: resolveWorkspaceSkillPromptEntries } = await part('workspace-skill-loader');
const { n: filterUserInvocableSkillEntries } = await part('skill-index');
const said = {};
for (const { tree, cwd, home: own, env } of JSON.parse(readFileSync(given))) {
  rmSync(home, { recursive: true, force: true });
  renameSync(own, home);
  const moved = (path) => (path.startsWith(own) ? home + path.slice(own.length) : path);
  const variables = { OPENCLAW_BUNDLED_SKILLS_DIR: nothing, ...env };
  for (const [name, value] of Object.entries(variables)) process.env[name] = moved(value);
  const file = `${home}/.openclaw/openclaw.json`;
  const config = { plugins: { enabled: false }, ...(existsSync(file) ? JSON.parse(readFileSync(file)) : {}) };
  const options = { config, agentId: 'main' };
  const { prompt } = await buildSkillSnapshot(moved(cwd), options);
  const { eligible } = await resolveWorkspaceSkillPromptEntries(moved(cwd), options);
  said[tree] = { prompt, user: filterUserInvocableSkillEntries(eligible).map((entry) => entry.skill.name), home };
  for (const name of Object.keys(variables)) delete process.env[name];
  renameSync(home, own);
}
writeFileSync(out, JSON.stringify(said));
process.exit(0);
