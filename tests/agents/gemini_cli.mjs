// Asks Gemini CLI's own manager of skills about each tree, as `Config.initialize` does for a folder that is trusted.
import { readFileSync, writeFileSync } from 'node:fs';

const [tools, given, out] = process.argv.slice(2);
const core = `${tools}/node_modules/@google/gemini-cli-core/dist/src`;
const { SkillManager } = await import(`${core}/skills/skillManager.js`);
const { Storage } = await import(`${core}/config/storage.js`);
const said = {};
for (const { tree, cwd, home } of JSON.parse(readFileSync(given))) {
  process.env.HOME = home;
  const manager = new SkillManager();
  await manager.discoverSkills(new Storage(cwd), [], true);
  manager.setDisabledSkills([]);
  said[tree] = manager.getSkills().filter((skill) => !skill.isBuiltin);
}
writeFileSync(out, JSON.stringify(said));
process.exit(0);
