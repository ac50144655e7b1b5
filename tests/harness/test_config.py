"""The configuration: everything that is wrong with it is said in one line, before anything starts."""

from pathlib import Path

import pytest

from agent_harness.config import load
from agent_harness.errors import ConfigurationError


def written(folder: Path, text: str) -> Path:
    path = folder / "agent-harness.toml"
    path.write_text(text)
    return path


def test_no_file_means_defaults(tmp_path: Path) -> None:
    config = load(None, checkout=tmp_path)
    assert config.contract.kind == "sqllogictest"
    assert config.role("build").backends == ("embedded",)
    assert config.role("review").backends == ()
    assert config.state == tmp_path / ".agent-harness"


def test_overrides_lie_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "[loop]\nbuilders = 3\nbatch = 4\n")
    config = load(path, {"loop.builders": 7, "limits.run_usd": 2, "loop.rounds": None, "roles.build": "claude"})
    assert (config.loop.builders, config.loop.batch, config.limits.run_usd) == (7, 4, 2.0)
    assert config.role("build").backends == ("claude",)


def test_backends_take_kind_and_model(tmp_path: Path) -> None:
    config = load(written(tmp_path, '[backends.local]\nkind = "openai"\nmodel = "m"\nbase_url = "http://127.0.0.1:1"\n'))
    chosen = config.backend("local")
    assert (chosen.kind, chosen.model, chosen.options) == ("openai", "m", {"base_url": "http://127.0.0.1:1"})
    assert config.backend("claude").kind == "claude"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[loop\n", "agent-harness.toml"),
        ("surprise = 1\n", "unknown key surprise"),
        ("[loop]\nbuilder = 1\n", "loop.builder: unknown key"),
        ("loop = 3\n", "loop: must be a table"),
        ("[loop]\nbuilders = 0\n", "loop.builders: must be at least 1"),
        ("[loop]\nbuilders = true\n", "loop.builders: must be a whole number"),
        ('[limits]\nrun_usd = "much"\n', "limits.run_usd: must be a number"),
        ("[limits]\nrun_usd = -1\n", "limits.run_usd: must be at least 0"),
        ('[contract]\nkind = "vibes"\n', "contract.kind: must be one of sqllogictest, command, not 'vibes'"),
        ('[contract]\nkind = "command"\n', "contract.command: must be given"),
        ('[contract]\npaths = "tests"\n', "contract.paths: must be a list of texts"),
        ("[contract]\npaths = [1]\n", "contract.paths: must be a list of texts"),
        ('[workspace]\nkind = "vm"\n', "workspace.kind: must be one of worktree, clone, not 'vm'"),
        ('[workspace]\nsandbox = "hope"\n', "workspace.sandbox: must be one of none, bwrap, docker, not 'hope'"),
        ("[target]\neditable = []\n", "target.editable: nothing may be changed"),
        ('[roles]\njanitor = "claude"\n', "roles.janitor: the roles are"),
        ("[roles]\nbuild = 1\n", "roles.build: must be a list of texts"),
        ('[backends.x]\napi_key = "secret"\n', "backends.x: keys belong in the environment, not in the file"),
        ("[backends]\nx = 1\n", "backends.x: must be a table"),
        ("[gates]\nfull = 1\n", "gates.full: must be a table"),
        ("state = 4\n", "state: must be text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(written(tmp_path, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value).strip()


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml: No such file"):
        load(tmp_path / "nowhere.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"bad\.toml"):
        load(tmp_path / "bad.toml")
