# Made by documents.py from the declarations of the learners.
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ._estimator import OnlineBase
from ._settings import Parameter

__all__ = ["OnlineClassifier", "PerceptronClassifier", "ROMMAClassifier", "AROMMAClassifier", "PAClassifier", "PA1Classifier", "PA2Classifier", "CPAClassifier", "PAUMClassifier", "OGDClassifier", "COG1Classifier", "COG2Classifier", "STGClassifier", "FOBOSClassifier", "SGL1Classifier", "SGL1CumulativeClassifier", "SGFTClassifier", "SGFTCumulativeClassifier", "AdaFOBOSClassifier", "RDAClassifier", "AdaRDAClassifier", "FTRLClassifier", "FSOLClassifier", "CSFSOLClassifier", "SSOLClassifier", "CSSSOLClassifier", "SOPClassifier", "CWClassifier", "SCW1Classifier", "SCW2Classifier", "AROWClassifier", "SAROWClassifier", "NAROWClassifier", "ACOG1Classifier", "ACOG2Classifier", "SOFSClassifier", "SACOG1Classifier", "SACOG2Classifier", "SSACOG1Classifier", "SSACOG2Classifier", "BCW1Classifier", "BCW2Classifier", "SBCW1Classifier", "SBCW2Classifier", "DCDClassifier", "L1SVMClassifier", "SPARDCAClassifier", "FGMClassifier", "AutoClassifier"]

LEARNERS: list[dict[str, Any]]
CLASSES: dict[str, type[OnlineBase]]

def class_name(learner: str) -> str: ...
def _knob(name: str, kind: str, default: str, doc: str) -> Parameter: ...

class OnlineClassifier(OnlineBase):
    learner: str
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        learner: str = 'sarow',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PerceptronClassifier(OnlineBase):
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ROMMAClassifier(OnlineBase):
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        *,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AROMMAClassifier(OnlineBase):
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        *,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PAClassifier(OnlineBase):
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        *,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PA1Classifier(OnlineBase):
    c: Literal['auto'] | float
    length: Literal['whole', 'features']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: Literal['auto'] | float = 'auto',
        length: Literal['whole', 'features'] = 'whole',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PA2Classifier(OnlineBase):
    c: Literal['auto'] | float
    length: Literal['whole', 'features']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: Literal['auto'] | float = 'auto',
        length: Literal['whole', 'features'] = 'whole',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CPAClassifier(OnlineBase):
    c: float
    update: Literal['prediction-based', 'max-loss']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        update: Literal['prediction-based', 'max-loss'] = 'prediction-based',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class PAUMClassifier(OnlineBase):
    eta: float
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class OGDClassifier(OnlineBase):
    eta: Literal['auto'] | float
    power_t: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        power_t: float = 0.5,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class COG1Classifier(OnlineBase):
    eta: Literal['auto'] | float
    power_t: float
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        power_t: float = 0.0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class COG2Classifier(OnlineBase):
    eta: Literal['auto'] | float
    power_t: float
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        power_t: float = 0.0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class STGClassifier(OnlineBase):
    eta: Literal['auto'] | float
    lambda_: float
    k: int
    theta: float
    power_t: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        lambda_: float = 1e-06,
        k: int = 10,
        theta: float = ...,
        power_t: float = 0.5,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class FOBOSClassifier(OnlineBase):
    eta: Literal['auto'] | float
    lambda_: float
    power_t: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        lambda_: float = 1e-06,
        power_t: float = 0.5,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGL1Classifier(OnlineBase):
    eta: float
    lambda_: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 1e-05,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGL1CumulativeClassifier(OnlineBase):
    eta: float
    lambda_: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 1e-05,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGFTClassifier(OnlineBase):
    eta: float
    lambda_: float
    p: float
    v: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 0.001,
        p: float = 2.0,
        v: float = 500.0,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SGFTCumulativeClassifier(OnlineBase):
    eta: float
    lambda_: float
    p: float
    v: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 0.001,
        p: float = 2.0,
        v: float = 500.0,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AdaFOBOSClassifier(OnlineBase):
    eta: float
    lambda_: float
    delta: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 3e-06,
        delta: float = 0.1,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class RDAClassifier(OnlineBase):
    gamma: float
    lambda_: float
    rho: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        gamma: float = 0.03,
        lambda_: float = 1e-06,
        rho: float = 0.0,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AdaRDAClassifier(OnlineBase):
    eta: float
    lambda_: float
    delta: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 1.0,
        lambda_: float = 3e-06,
        delta: float = 0.1,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class FTRLClassifier(OnlineBase):
    alpha: float
    beta: float
    lambda_: float
    ridge: float
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        alpha: float = 2.0,
        beta: float = 1.0,
        lambda_: float = 1.0,
        ridge: float = 0.0,
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'logistic',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class FSOLClassifier(OnlineBase):
    eta: Literal['auto'] | float
    lambda_: float
    schedule: Literal['eta', 'constant', 'inverse', 'rda']
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        lambda_: float = 0.3,
        schedule: Literal['eta', 'constant', 'inverse', 'rda'] = 'eta',
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CSFSOLClassifier(OnlineBase):
    eta: Literal['auto'] | float
    lambda_: float
    schedule: Literal['eta', 'constant', 'inverse', 'rda']
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        lambda_: float = 0.3,
        schedule: Literal['eta', 'constant', 'inverse', 'rda'] = 'eta',
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SSOLClassifier(OnlineBase):
    eta: float
    lambda_: float
    r: float
    schedule: Literal['eta', 'constant', 'inverse', 'rda']
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    truncate: Literal['weights', 'metric']
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        lambda_: float = 10.0,
        r: float = 2.0,
        schedule: Literal['eta', 'constant', 'inverse', 'rda'] = 'inverse',
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        truncate: Literal['weights', 'metric'] = 'weights',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'shared',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CSSSOLClassifier(OnlineBase):
    eta: float
    lambda_: float
    r: float
    schedule: Literal['eta', 'constant', 'inverse', 'rda']
    loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared']
    truncate: Literal['weights', 'metric']
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        lambda_: float = 10.0,
        r: float = 2.0,
        schedule: Literal['eta', 'constant', 'inverse', 'rda'] = 'inverse',
        loss: Literal['hinge', 'squared-hinge', 'logistic', 'squared'] = 'hinge',
        truncate: Literal['weights', 'metric'] = 'weights',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'shared',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SOPClassifier(OnlineBase):
    a: float
    variant: Literal['paper', 'libol']
    covariance: Literal['diagonal', 'full']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        a: float = 1.0,
        variant: Literal['paper', 'libol'] = 'paper',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class CWClassifier(OnlineBase):
    confidence: float
    variant: Literal['stdev', 'variance']
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        confidence: float = 0.7,
        variant: Literal['stdev', 'variance'] = 'stdev',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        *,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SCW1Classifier(OnlineBase):
    confidence: float
    c: Literal['auto'] | float
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        confidence: float = 0.75,
        c: Literal['auto'] | float = 'auto',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SCW2Classifier(OnlineBase):
    confidence: float
    c: Literal['auto'] | float
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        confidence: float = 0.9,
        c: Literal['auto'] | float = 'auto',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AROWClassifier(OnlineBase):
    r: float
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        r: float = 1.0,
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SAROWClassifier(OnlineBase):
    r: float
    kappa: float
    floor: float
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        r: float = 0.1,
        kappa: float = 0.15,
        floor: float = 0.0003,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class NAROWClassifier(OnlineBase):
    b: float
    variant: Literal['paper', 'libol']
    covariance: Literal['diagonal', 'full']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        b: float = 10.0,
        variant: Literal['paper', 'libol'] = 'paper',
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ACOG1Classifier(OnlineBase):
    eta: Literal['auto'] | float
    gamma: float
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    mean: Literal['before', 'after']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        gamma: float = 1.0,
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        mean: Literal['before', 'after'] = 'after',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class ACOG2Classifier(OnlineBase):
    eta: Literal['auto'] | float
    gamma: float
    covariance: Literal['diagonal', 'full']
    denominator: Literal['own', 'shared']
    mean: Literal['before', 'after']
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: Literal['auto'] | float = 'auto',
        gamma: float = 1.0,
        covariance: Literal['diagonal', 'full'] = 'diagonal',
        denominator: Literal['own', 'shared'] = 'own',
        mean: Literal['before', 'after'] = 'after',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SOFSClassifier(OnlineBase):
    features: int
    r: float
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        features: int = 1000,
        r: float = 1.0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SACOG1Classifier(OnlineBase):
    eta: float
    gamma: float
    sketch: int
    rate: float
    power: float
    every: int
    start: Literal['random', 'identity']
    dimensions: int
    precondition: Literal['none', 'diagonal']
    seed: int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        gamma: float = 1.0,
        sketch: int = 5,
        rate: float = 1.0,
        power: float = 1.0,
        every: int = 1,
        start: Literal['random', 'identity'] = 'random',
        dimensions: int = 0,
        precondition: Literal['none', 'diagonal'] = 'none',
        seed: int = 0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SACOG2Classifier(OnlineBase):
    eta: float
    gamma: float
    sketch: int
    rate: float
    power: float
    every: int
    start: Literal['random', 'identity']
    dimensions: int
    precondition: Literal['none', 'diagonal']
    seed: int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        gamma: float = 1.0,
        sketch: int = 5,
        rate: float = 1.0,
        power: float = 1.0,
        every: int = 1,
        start: Literal['random', 'identity'] = 'random',
        dimensions: int = 0,
        precondition: Literal['none', 'diagonal'] = 'none',
        seed: int = 0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SSACOG1Classifier(OnlineBase):
    eta: float
    gamma: float
    sketch: int
    rate: float
    power: float
    every: int
    start: Literal['random', 'identity']
    dimensions: int
    precondition: Literal['none', 'diagonal']
    seed: int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        gamma: float = 1.0,
        sketch: int = 5,
        rate: float = 1.0,
        power: float = 1.0,
        every: int = 1,
        start: Literal['random', 'identity'] = 'random',
        dimensions: int = 0,
        precondition: Literal['none', 'diagonal'] = 'none',
        seed: int = 0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SSACOG2Classifier(OnlineBase):
    eta: float
    gamma: float
    sketch: int
    rate: float
    power: float
    every: int
    start: Literal['random', 'identity']
    dimensions: int
    precondition: Literal['none', 'diagonal']
    seed: int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        eta: float = 4.0,
        gamma: float = 1.0,
        sketch: int = 5,
        rate: float = 1.0,
        power: float = 1.0,
        every: int = 1,
        start: Literal['random', 'identity'] = 'random',
        dimensions: int = 0,
        precondition: Literal['none', 'diagonal'] = 'none',
        seed: int = 0,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class BCW1Classifier(OnlineBase):
    c: float
    r: Literal['auto'] | float
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        r: Literal['auto'] | float = 'auto',
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class BCW2Classifier(OnlineBase):
    c: float
    r: Literal['auto'] | float
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        r: Literal['auto'] | float = 'auto',
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SBCW1Classifier(OnlineBase):
    c: float
    r: Literal['auto'] | float
    sigma: float
    group: Literal['auto'] | int
    features: Literal['auto'] | int
    iterations: int
    stop: float
    passes: int
    step: Literal['printed', 'proximal']
    combine: Literal['carry', 'restart', 'active']
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 10.0,
        r: Literal['auto'] | float = 0.1,
        sigma: float = 1.0,
        group: Literal['auto'] | int = 'auto',
        features: Literal['auto'] | int = 'auto',
        iterations: int = 15,
        stop: float = 0.0,
        passes: int = 5,
        step: Literal['printed', 'proximal'] = 'proximal',
        combine: Literal['carry', 'restart', 'active'] = 'restart',
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SBCW2Classifier(OnlineBase):
    c: float
    r: Literal['auto'] | float
    sigma: float
    group: Literal['auto'] | int
    features: Literal['auto'] | int
    iterations: int
    stop: float
    passes: int
    step: Literal['printed', 'proximal']
    combine: Literal['carry', 'restart', 'active']
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 10.0,
        r: Literal['auto'] | float = 0.1,
        sigma: float = 1.0,
        group: Literal['auto'] | int = 'auto',
        features: Literal['auto'] | int = 'auto',
        iterations: int = 15,
        stop: float = 0.0,
        passes: int = 5,
        step: Literal['printed', 'proximal'] = 'proximal',
        combine: Literal['carry', 'restart', 'active'] = 'restart',
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class DCDClassifier(OnlineBase):
    c: float
    loss: Literal['hinge', 'squared']
    tolerance: float
    sweeps: int
    seed: int
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        loss: Literal['hinge', 'squared'] = 'hinge',
        tolerance: float = 1e-08,
        sweeps: int = 10000,
        seed: int = 0,
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class L1SVMClassifier(OnlineBase):
    c: float
    tolerance: float
    sweeps: int
    seed: int
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        tolerance: float = 1e-07,
        sweeps: int = 1000,
        seed: int = 0,
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class SPARDCAClassifier(OnlineBase):
    lambda_: float
    sigma: float
    c: float
    loss: Literal['hinge', 'squared']
    passes: int
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        lambda_: float = 1.0,
        sigma: float = 0.1,
        c: float = 1.0,
        loss: Literal['hinge', 'squared'] = 'hinge',
        passes: int = 20,
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class FGMClassifier(OnlineBase):
    c: float
    group: Literal['auto'] | int
    features: Literal['auto'] | int
    iterations: int
    stop: float
    tolerance: float
    batch: Literal['auto'] | int
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        c: float = 1.0,
        group: Literal['auto'] | int = 'auto',
        features: Literal['auto'] | int = 'auto',
        iterations: int = 15,
        stop: float = 0.0,
        tolerance: float = 1e-10,
        batch: Literal['auto'] | int = 'auto',
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...

class AutoClassifier(OnlineBase):
    class_weight: Mapping[Any, float] | Literal['balanced'] | None
    cost_fn: float | None
    cost_fp: float | None
    balance_half_life: float | None
    multiclass: Literal['any', 'hinge', 'ovr'] | None
    threshold: float | None
    target: str | None
    probabilities: bool
    forget: float | None
    scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None
    normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None
    fit_intercept: bool
    n_iter: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    def __init__(
        self,
        *,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balance_half_life: float | None = None,
        multiclass: Literal['any', 'hinge', 'ovr'] | None = None,
        threshold: float | None = None,
        target: str | None = None,
        probabilities: bool = False,
        forget: float | None = None,
        scale: Literal['none', 'typical', 'max', 'deviation', 'rms'] | None = None,
        normalize: Literal['none', 'count', 'l2', 'l1', 'max'] | None = None,
        fit_intercept: bool = True,
        n_iter: int = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None: ...
